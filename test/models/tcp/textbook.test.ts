import { describe, expect, test } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';

const SEEDS = 20;

/** Mean rate of Reno in packets a round trip under random loss, over the seeds. */
function packetsPerRoundTrip(loss: number): number {
  let sum = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { first } = checkDocument(
      {
        title: 'random loss',
        seed,
        duration: '20s',
        warmup: '5s',
        hops: { line: { link: { rate: '1gbit', delay: '10ms', loss, queue: '10000p' } } },
        flows: { flow: { source: 'bulk', via: ['line'], tcp: { congestion: 'reno' } } },
      },
      { registry },
    );
    const { flows } = simulate({ variables: {}, scenario: first }, { buckets: 0 });
    sum += (flows.flow!.bitsPerSecond.goodput / 8 / 1448) * 0.02;
  }
  return sum / SEEDS;
}

describe('Reno under random loss', () => {
  test.each([0.0005, 0.001, 0.003, 0.01])('of %d carries 1.22 / sqrt(p) packets a round trip within 12 %%', (loss) => {
    const law = 1.22 / Math.sqrt(loss);
    expect(Math.abs(packetsPerRoundTrip(loss) / law - 1)).toBeLessThan(0.12);
  });
});
