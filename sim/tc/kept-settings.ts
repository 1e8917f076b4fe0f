import { isMap, parseDocument } from 'yaml';
import type { Mapping } from './scenario-qdisc.ts';

/** Marks the comment lines of an exported script that keep what tc has no words for. */
export const KEPT_MARK = '#sim:';

/** Key of a kept hop: the hop that the import makes of the commands, which it is to be merged with. */
export const MADE_OF = 'madeOf';

/** Key of a kept hop: handles that the export made up, as the scenario names none. */
export const MADE_HANDLES = 'madeHandles';

/** Key of a kept hop: the scenario names no device for it. */
export const MADE_DEVICE = 'madeDevice';

/** The hops of an import that the kept ones are to be merged with, by name. */
export function madeHops(kept: Mapping): ReadonlySet<string> {
  const hops = isMapping(kept.hops) ? Object.values(kept.hops) : [];
  return new Set(hops.flatMap((hop) => (isMapping(hop) && typeof hop[MADE_OF] === 'string' ? [hop[MADE_OF]] : [])));
}

/** Reads the settings that an export kept in comments; undefined: there are none or they are damaged. */
export function readKept(text: string): Mapping | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith(KEPT_MARK));
  if (lines.length === 0) return undefined;
  const document = parseDocument(lines.map((line) => line.slice(KEPT_MARK.length).replace(/^ /, '')).join('\n'));
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  try {
    return document.toJS({ maxAliasCount: 0 }) as Mapping;
  } catch {
    return undefined;
  }
}

/** Puts the hops that were made of the commands into the kept document. */
export function mergeKept(kept: Mapping, hops: Readonly<Mapping>): Mapping {
  const merged: Mapping = {};
  const keptHops = isMapping(kept.hops) ? kept.hops : {};
  for (const [name, hop] of Object.entries(keptHops)) {
    const source = isMapping(hop) ? hop[MADE_OF] : undefined;
    if (!isMapping(hop) || typeof source !== 'string') {
      merged[name] = hop;
      continue;
    }
    const { [MADE_OF]: _, [MADE_HANDLES]: madeHandles, [MADE_DEVICE]: isUnnamed, ...own } = hop;
    const made = Object.hasOwn(hops, source) && isMapping(hops[source]) ? hops[source] : {};
    const { link: _link, device, ...rest } = made;
    const commands = isUnnamed === true || device === undefined ? rest : { device, ...rest };
    const unnamed = new Set(Array.isArray(madeHandles) ? madeHandles.map(String) : []);
    merged[name] = { ...(withoutHandles(commands, unnamed) as Mapping), ...own };
  }
  return { ...kept, hops: merged };
}

/** Writes the settings as comment lines. */
export function writeKept(yaml: string): string {
  return yaml
    .trimEnd()
    .split('\n')
    .map((line) => `${KEPT_MARK} ${line}`.trimEnd())
    .join('\n');
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same mapping without the handles that nobody gave. */
function withoutHandles(node: unknown, unnamed: ReadonlySet<string>): unknown {
  if (unnamed.size === 0 || !isMapping(node)) return node;
  const entries = Object.entries(node).filter(([key, value]) => key !== 'handle' || !unnamed.has(String(value)));
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutHandles(value, unnamed)]));
}
