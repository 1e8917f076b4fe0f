/** A class or qdisc in the kernel: major << 16 | minor. */
export const MINOR_MASK = 0xffff;

/** Reads a class id as tc writes it: `1:10` (hexadecimal on both sides, either may be left out); undefined if it is none. */
export function parseClassId(text: string): number | undefined {
  const match = /^(?:0x)?([0-9a-f]{0,4}):(?:0x)?([0-9a-f]{0,4})$/i.exec(text);
  if (match === null || text === ':') return undefined;
  const major = Number.parseInt(match[1] || '0', 16);
  const minor = Number.parseInt(match[2] || '0', 16);
  return major * 0x10000 + minor;
}

/** Writes a class id as tc does: `1:10`. */
export function formatClassId(id: number): string {
  return `${Math.floor(id / 0x10000).toString(16)}:${(id & MINOR_MASK).toString(16)}`;
}

/** The qdisc that a class belongs to: its id with a minor of 0 (u32). */
export function handleOf(id: number): number {
  return (id & ~MINOR_MASK) >>> 0;
}
