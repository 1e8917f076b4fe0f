import { describe, expect, it } from 'vitest';
import { figureOf, quantityVariables } from '../../../sim/output/quantity-variables.ts';

const document = {
  sweep: {
    kernel: ['3.6', '3.10', '6.2'],
    rate: ['5mbit', '10mbit'],
    leaf: ['pfifo', '10'],
    zip: { curl: ['8.6.0', '8.18.0'], size: '1mb,5mb', wait: '10ms..50ms/10ms' },
  },
  hops: { a: { kernel: '${kernel}', tc: '${tc}', classes: { '1:10': { rate: '${rate}' } } } },
  flows: { f: { source: 'curl', version: '${curl}', size: '${size}' } },
};

describe('variables of a sweep', () => {
  it('are quantities where every value is one and none is a version', () => {
    const names = ['kernel', 'tc', 'curl', 'rate', 'leaf', 'size', 'wait'];
    expect([...quantityVariables(document, names)]).toEqual(['rate', 'size', 'wait']);
  });

  it('are read in the units of a result', () => {
    expect(['5mbit', '1kb', '10ms', '12', 'pfifo', '2.6.22'].map(figureOf)).toEqual([
      5e6,
      1024,
      0.01,
      12,
      undefined,
      undefined,
    ]);
  });
});
