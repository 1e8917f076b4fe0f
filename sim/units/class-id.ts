import { UnitError } from './unit-error.ts';

const CLASS_ID = /^(?:0x)?([0-9a-f]{1,4}):(?:0x)?([0-9a-f]{0,4})$/i;

/**
 * Reads a class id as tc does: major and minor number in hexadecimal, `1:10` = 0x00010010; `1:` is the qdisc's own
 * handle (tc/tc_util.c: get_tc_classid, iproute2 6.1).
 *
 * @returns u32: major << 16 | minor
 * @throws UnitError
 */
export function parseClassId(text: string): number {
  const match = CLASS_ID.exec(text);
  if (match !== null) return Number.parseInt(match[1]!, 16) * 65536 + (Number.parseInt(match[2]!, 16) || 0);
  const isMinor = /^(?:0x)?[0-9a-f]{1,4}$/i.test(text);
  throw new UnitError(
    'a class id such as "1:10"',
    JSON.stringify(text),
    isMinor ? `did you mean "1:${text.replace(/^0x/i, '')}"?` : 'both parts are hexadecimal, at most ffff',
  );
}

/** Writes a class id as tc shows it: `1:10`, `a0:` for a handle. */
export function writeClassId(classId: number): string {
  const minor = classId % 65536;
  return `${Math.floor(classId / 65536).toString(16)}:${minor === 0 ? '' : minor.toString(16)}`;
}
