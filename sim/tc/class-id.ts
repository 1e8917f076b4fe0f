import { TcFault } from './model.ts';

/**
 * Reads a class id as tc does: `1:10`, `:10`, `1:`, `10` (then the whole number, in hexadecimal), `root` and `none`.
 * Source of the rule: iproute2 tc/tc_util.c, get_tc_classid.
 *
 * @returns major << 16 | minor; `root` is 0xffffffff, `none` 0
 * @throws TcFault
 */
export function readClassId(text: string): number {
  if (text === 'root') return 0xffffffff;
  if (text === 'none') return 0;
  const match = /^(?:0[xX])?([\da-fA-F]*)(?::(?:0[xX])?([\da-fA-F]*))?$/.exec(text);
  const colon = text.includes(':');
  if (match === null || (match[1] === '' && !colon)) {
    throw new TcFault(`"${text}" is no class id`, 'class ids are hexadecimal: MAJOR:MINOR, for example 1:10');
  }
  const major = Number.parseInt(match[1] || '0', 16);
  const minor = Number.parseInt(match[2] || '0', 16);
  if (!colon) {
    if (major > 0xffffffff) throw new TcFault(`"${text}" is too large for a class id`);
    return major;
  }
  if (major > 0xffff || minor > 0xffff) {
    throw new TcFault(`"${text}" is no class id`, 'major and minor have at most four hexadecimal digits each');
  }
  return major * 0x10000 + minor;
}

/**
 * Reads the handle of a qdisc: `1:`, `1`, `1:0`; what stands behind the colon does not count. Source of the rule: iproute2 tc/tc_util.c, get_qdisc_handle.
 *
 * @returns the upper half
 * @throws TcFault
 */
export function readHandle(text: string): number {
  const match = /^(?:0[xX])?([\da-fA-F]{1,4})(?::.*)?$/.exec(text);
  if (match === null) {
    throw new TcFault(
      `"${text}" is no qdisc handle`,
      'handles are hexadecimal with an empty minor, for example 1: or ffff:',
    );
  }
  return Number.parseInt(match[1]!, 16);
}

/** Upper half of a class id or handle. */
export function majorOf(id: number): number {
  return Math.floor(id / 0x10000) & 0xffff;
}

/** Lower half of a class id. */
export function minorOf(id: number): number {
  return id % 0x10000;
}
