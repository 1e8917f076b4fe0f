import type { Html } from './html.ts';
import { tableHtml } from './tables.ts';

/** A place where two scenarios differ; undefined where one of them does not set it. */
export interface ScenarioDifference {
  /** Dotted path in the scenario as written. */
  readonly path: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

const IN_WORDS = 4;
const IN_TABLE = 60;
const LONG_VALUE = 60;

/** What is set differently, as the reason why results differ; empty where nothing is. */
export function differencesWords(differences: readonly ScenarioDifference[]): string {
  if (differences.length === 0) return '';
  const value = (text: string | undefined): string =>
    text === undefined ? 'not set' : text.length > LONG_VALUE ? `${text.slice(0, LONG_VALUE)}…` : text;
  const words = differences.slice(0, IN_WORDS).map(({ path, a, b }) => `${path}: ${value(a)} → ${value(b)}`);
  const more = differences.length - words.length;
  return `The scenarios differ in ${words.join('; ')}${more > 0 ? `; and in ${more} more places` : ''}.`;
}

/** What is set differently, as a table. */
export function differencesHtml(differences: readonly ScenarioDifference[]): Html {
  const rows = differences.slice(0, IN_TABLE).map(({ path, a, b }) => [path, a ?? 'not set', b ?? 'not set']);
  return tableHtml(
    {
      caption: 'Where the scenarios differ',
      columns: ['Place', 'A', 'B'].map((label) => ({ label, number: false })),
      rows,
      ...(differences.length > rows.length
        ? { note: `The first ${rows.length} of ${differences.length} places.` }
        : {}),
    },
    'table-differences',
  );
}
