import { modelsOf } from '../../models/registry.ts';
import { simulate } from '../../sim/run/simulate.ts';
import { checkDocument } from '../../sim/scenario/load-scenario.ts';

/** 836-byte packets at 950 Mbit/s into one HTB leaf at 555 Mbit/s on a gigabit link. */
const standard = (kernel: string, seconds: number): object => ({
  title: 'standard workload',
  duration: `${seconds}s`,
  hops: {
    bridge: {
      shaper: 'htb',
      kernel,
      default: '1:108',
      classes: { '1:108': { rate: '555mbit' } },
      link: { rate: '1gbit' },
    },
  },
  flows: { generator: { source: 'cbr', rate: '950mbit', size: '836b', via: ['bridge'], class: '1:108' } },
});

/** One greedy TCP flow over a gigabit link with a round trip of 20 ms. */
const tcp = (_: string, seconds: number): object => ({
  title: 'one bulk flow',
  duration: `${seconds}s`,
  hops: { wan: { link: { rate: '1gbit', delay: '10ms', queue: '2500kb' } } },
  flows: { bulk: { source: 'bulk', via: ['wan'] } },
});

/** A thousand greedy TCP flows through one HTB tree of a thousand leaves. */
const manyFlows = (kernel: string, seconds: number): object => {
  const ids = Array.from({ length: 1000 }, (_, index) => `1:${(index + 16).toString(16)}`);
  return {
    title: 'a thousand bulk flows',
    duration: `${seconds}s`,
    hops: {
      edge: {
        shaper: 'htb',
        kernel,
        classes: {
          '1:1': { rate: '1gbit', burst: '100kb', cburst: '100kb' },
          ...Object.fromEntries(ids.map((id) => [id, { parent: '1:1', rate: '500kbit', ceil: '1gbit', limit: 50 }])),
        },
        link: { rate: '1gbit', delay: '10ms' },
      },
    },
    flows: Object.fromEntries(ids.map((id, index) => [`f${index}`, { source: 'bulk', via: ['edge'], class: id }])),
  };
};

const workloads: Record<string, (kernel: string, seconds: number) => object> = { standard, tcp, manyFlows };

const [, , name = 'standard', kernel = '6.12', seconds = '60', how = 'full'] = process.argv;
const options = { buckets: 0, fastForward: how === 'short' };
if (how === 'scenario') {
  console.log(JSON.stringify(workloads[name]!(kernel, Number(seconds))));
  process.exit();
}
const pointOf = (duration: number) =>
  checkDocument(workloads[name]!(kernel, duration), { registry: { modelsOf } }).pointAt(0);
// Two short runs let the compiler see the code; what is timed is the third.
for (let warm = 0; warm < 2; warm++) simulate(pointOf(1), { buckets: 0, fastForward: false });
const point = pointOf(Number(seconds));
const begin = process.hrtime.bigint();
const result = simulate(point, options);
const elapsed = Number(process.hrtime.bigint() - begin) / 1e9;
console.log(
  JSON.stringify({
    packets: Object.values(result.flows).reduce((sum, flow) => sum + flow.sentPackets, 0),
    received: Object.values(result.flows).reduce((sum, flow) => sum + flow.receivedPackets, 0),
    events: result.events,
    seconds: elapsed,
    peakMebibytes: process.resourceUsage().maxRSS / 1024,
  }),
);
