import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { distributionTable } from '../../../models/linux/netem-distributions.ts';

// Fingerprints of the tables of iproute2 6.1 (normal.dist, pareto.dist, paretonormal.dist): all entries with a space between.
describe('the tables of netem’s distributions', () => {
  it.each([
    ['normal', 'c59486ef7d9f475392acb0a04686483a237f45e57bd34c4d00302b60fb1370fd'],
    ['pareto', '7b6250dae83ed8134b5192e992c488a542531c03118e79726d8726d169065dd1'],
    ['paretonormal', '6b6ec6bcf481be2a4c8a189dad1bf6461272ad9e6ac81a60072b54c8aaf6a3d6'],
  ] as const)('%s is the one that iproute2 ships, entry by entry', (name, fingerprint) => {
    const table = distributionTable(name);
    expect(table).toHaveLength(4096);
    expect(createHash('sha256').update(Array.from(table).join(' ')).digest('hex')).toBe(fingerprint);
  });

  it('normal has its quartiles at 0.6745 standard deviations', () => {
    // 0.67449 * 8192 = 5525.
    const table = distributionTable('normal');
    expect([table[1024], table[2048], table[3072]]).toEqual([-5525, 0, 5526]);
  });

  it('pareto begins at its least value', () => {
    // (1 - 1.5) * 4/3 * 8192 = -5461.3.
    expect(distributionTable('pareto')[0]).toBe(-5461);
  });
});
