import { MATCH_ALL } from './common-parameters.ts';
import { parseSelector, SelectorError } from './filter-selector.ts';
import * as messages from './messages.ts';
import type { Message } from './problem.ts';
import type { DeviceFilter, DeviceSpec } from './scenario.ts';

/** Reports a problem at a place below `device:`. */
export type ReportDevice = (path: readonly string[], message: Message) => void;

/**
 * The checked `device:` of a hop in one form, whether it was written as a name or as a mapping.
 *
 * @param kind of its shaper; undefined: a plain link
 */
export function hopDevice(given: string | DeviceSpec, kind: string | undefined, report: ReportDevice): DeviceSpec {
  if (typeof given === 'string') return { name: given };
  const { name, filter, class: classId, redirects } = given;
  if (filter !== undefined && kind !== 'police') report(['filter'], messages.deviceKeyOfAnother('filter', 'police'));
  if (classId !== undefined && kind !== undefined) report(['class'], messages.deviceKeyOfAnother('class', undefined));
  if (redirects !== undefined && kind === 'police') report(['redirects'], messages.policerIsNoDevice());
  if (filter !== undefined) checkMatch(filter, ['filter'], report);
  for (const [i, redirect] of (redirects ?? []).entries()) checkMatch(redirect, ['redirects', String(i)], report);
  const isSaid = filter !== undefined && !takesAll(filter);
  return {
    name,
    ...(isSaid ? { filter } : {}),
    ...(classId === undefined ? {} : { class: classId }),
    ...(redirects === undefined || redirects.length === 0 ? {} : { redirects }),
  };
}

/** Whether a filter is the one that stands where none is given. */
export function takesAll({ match, prio, protocol }: DeviceFilter): boolean {
  return match === MATCH_ALL && prio === 1 && protocol === 'all';
}

function checkMatch({ match }: DeviceFilter, path: readonly string[], report: ReportDevice): void {
  try {
    parseSelector(match);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    report([...path, 'match'], { expected: error.expected, received: error.received, hint: error.hint });
  }
}
