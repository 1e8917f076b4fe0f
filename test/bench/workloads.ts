import { simulate } from '../../sim/run/simulate.ts';
import type { LinkSpec, Scenario } from '../../sim/scenario/scenario.ts';

const gigabit: LinkSpec = {
  rateBitsPerSecond: 1e9,
  delayNs: 0,
  fcsBytes: 4,
  overheadBytes: 24,
  queue: { packets: 1000 },
  loss: 0,
  drop: [],
};

/** 836-byte packets at 950 Mbit/s into one HTB leaf at 555 Mbit/s on a gigabit link. */
function standard(kernel: string, seconds: number): Scenario {
  return {
    title: 'standard workload',
    about: '',
    seed: 1,
    durationNs: seconds * 1e9,
    warmupNs: 0,
    clockStartNs: 0,
    hops: [
      {
        name: 'bridge',
        shaper: { kind: 'htb', values: { kernel, r2q: 10, txQueueLen: 1000, classes: { '1:108': { rate: 555e6, prio: 0 } } } },
        timer: { resolutionNs: 1, latencyNs: 0 },
        link: gigabit,
      },
    ],
    flows: [
      {
        name: 'generator',
        source: { kind: 'cbr', values: { rate: 950e6, size: 836 } },
        via: ['bridge'],
        priority: 0x10108,
        headersBytes: 42,
        startNs: 0,
        ecn: 0,
      },
    ],
    expect: [],
  };
}

const [, , , kernel = '6.12', seconds = '60'] = process.argv;
const scenario = standard(kernel, Number(seconds));
// Two short runs let the compiler see the code; what is timed is the third.
for (let warm = 0; warm < 2; warm++) simulate({ variables: {}, scenario: { ...scenario, durationNs: 1e9 } }, { buckets: 0 });
const begin = process.hrtime.bigint();
const result = simulate({ variables: {}, scenario }, { buckets: 0 });
const elapsed = Number(process.hrtime.bigint() - begin) / 1e9;
console.log(
  JSON.stringify({
    packets: Object.values(result.flows).reduce((sum, flow) => sum + flow.sentPackets, 0),
    events: result.events,
    seconds: elapsed,
    peakMebibytes: process.resourceUsage().maxRSS / 1024,
  }),
);
