import { describe, expect, it } from 'vitest';
import { formatClassId, handleOf, parseClassId } from '../../../models/linux/class-id.ts';

describe('class ids', () => {
  it('are hexadecimal on both sides of the colon', () => {
    expect(parseClassId('1:10')).toBe(0x10010);
    expect(parseClassId('1:a0')).toBe(0x100a0);
    expect(parseClassId('ffff:ffff')).toBe(0xffffffff);
    expect(parseClassId('1:')).toBe(0x10000);
    expect(parseClassId(':10')).toBe(0x10);
  });

  it.each(['10', '1:10:1', '1:g', '12345:1', ':', ''])('are not %j', (text) => {
    expect(parseClassId(text)).toBeUndefined();
  });

  it('are written as they are read', () => {
    expect(formatClassId(0x100a0)).toBe('1:a0');
    expect(formatClassId(0xffff0001)).toBe('ffff:1');
  });

  it('belong to the qdisc of the same major number', () => {
    expect(handleOf(0xffff0010)).toBe(0xffff0000);
  });
});
