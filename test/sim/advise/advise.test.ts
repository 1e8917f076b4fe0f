import { describe, expect, it } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { adviceText } from '../../../sim/advise/advice-text.ts';
import { type Advice, advise } from '../../../sim/advise/advise.ts';
import { applyProposals } from '../../../sim/advise/proposal.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';
import { scenarioOf } from '../tc/support.ts';

function adviceOn(document: unknown): Advice {
  const tools = {
    pointOf: (changed: unknown) => checkDocument(changed, { registry }).pointAt(0),
    simulate: (point: Parameters<typeof simulate>[0]) => simulate(point, { buckets: 0 }),
    readBytes: undefined,
  };
  return advise(document, tools.pointOf(document), tools);
}
/** The advice on a scenario, and that on the scenario with all of it followed. */
function advised(yaml: string): Advice & { readonly again: () => Advice } {
  const { document } = scenarioOf(yaml);
  const advice = adviceOn(document);
  return { ...advice, again: () => adviceOn(applyProposals(document, {}, advice.proposals)) };
}
const values = ({ proposals }: Pick<Advice, 'proposals'>): Record<string, string> =>
  Object.fromEntries(proposals.map(({ path, value }) => [path.join('.'), value]));
const rateOf = (point: Advice['before'], flow: string): number => point.flows[flow]!.bitsPerSecond.accounted;

describe('advice on quanta', () => {
  const contested = (classes: string, flows: readonly [string, string][], head = '') => `
duration: 4s
warmup: 1s
hops:
  h:
    shaper: htb
    ${head}
    classes: { ${classes} }
    link: { rate: 1gbit }
flows:
${flows.map(([name, id]) => `  ${name}: { source: cbr, rate: 120mbit, via: [h], class: "${id}" }`).join('\n')}
`;

  it('names all leaves that share, so that a quantum that the kernel lowers does not spoil the proportion', () => {
    const advice = advised(
      contested(
        `"1:1": { rate: 100mbit, burst: 100kb, cburst: 100kb },
         "1:20": { parent: "1:1", rate: 50mbit, ceil: 100mbit, burst: 100kb, cburst: 100kb },
         "1:30": { parent: "1:1", rate: 19mbit, ceil: 100mbit, burst: 100kb, cburst: 100kb }`,
        [
          ['b', '1:20'],
          ['c', '1:30'],
        ],
        'r2q: 20',
      ),
    );
    // 312,500 bytes are lowered to 200,000, 118,750 are not: 31 Mbit/s are shared 200 : 118.75 in place of 50 : 19.
    expect(rateOf(advice.before, 'b') / 1e6).toBeCloseTo(50 + (31 * 200) / 318.75, 0);
    // One packet, and 50 / 19 of it.
    expect(values(advice)).toEqual({ 'hops.h.classes.1:20.quantum': '3984b', 'hops.h.classes.1:30.quantum': '1514b' });
    expect(rateOf(advice.after, 'b') / 1e6).toBeCloseTo((100 * 50) / 69, 0);
    expect(rateOf(advice.after, 'c') / 1e6).toBeCloseTo((100 * 19) / 69, 0);
    expect(advice.gains).toEqual([
      expect.stringMatching(/^of what the leaves of h share, 3\.0 % went to the wrong one, now 0\.\d %$/),
    ]);
    expect(advice.again().proposals).toEqual([]);
  });

  it('keeps the proportion also where all are lowered to the same', () => {
    const advice = advised(
      contested(
        `"1:1": { rate: 100mbit, burst: 100kb, cburst: 100kb },
         "1:20": { parent: "1:1", rate: 60mbit, ceil: 100mbit, burst: 100kb, cburst: 100kb },
         "1:30": { parent: "1:1", rate: 20mbit, ceil: 100mbit, burst: 100kb, cburst: 100kb }`,
        [
          ['b', '1:20'],
          ['c', '1:30'],
        ],
      ),
    );
    // Both have 200,000 bytes: 20 Mbit/s are shared alike.
    expect(rateOf(advice.before, 'b') / 1e6).toBeCloseTo(70, 0);
    expect(values(advice)).toEqual({ 'hops.h.classes.1:20.quantum': '4542b', 'hops.h.classes.1:30.quantum': '1514b' });
    expect(rateOf(advice.after, 'b') / 1e6).toBeCloseTo(75, 0);
  });

  const alike = (rates: readonly [string, string], flows: readonly [string, string][]): string =>
    contested(
      `"1:1": { rate: 100mbit, burst: 100kb, cburst: 100kb },
       "1:20": { parent: "1:1", rate: ${rates[0]}, ceil: 100mbit, burst: 100kb, cburst: 100kb },
       "1:30": { parent: "1:1", rate: ${rates[1]}, ceil: 100mbit, burst: 100kb, cburst: 100kb }`,
      flows,
    );

  it('has nothing to say of quanta that are lowered alike where the rates are alike', () => {
    const advice = advised(
      alike(
        ['50mbit', '50mbit'],
        [
          ['b', '1:20'],
          ['c', '1:30'],
        ],
      ),
    );
    expect(advice.proposals.concat(advice.idle)).toEqual([]);
  });

  it('does not offer as better what changes no share', () => {
    // Nobody competes with b.
    const advice = advised(alike(['60mbit', '20mbit'], [['b', '1:20']]));
    expect(advice.proposals).toEqual([]);
    expect(advice.idle.map(({ path }) => path.join('.'))).toEqual([
      'hops.h.classes.1:20.quantum',
      'hops.h.classes.1:30.quantum',
    ]);
    expect(advice.after).toEqual(advice.before);
    expect(adviceText('x.yaml', advice, 120)).toMatch(
      /^x\.yaml: nothing to propose that changes a figure of this scenario\n\nLeft out, as no figure of this scenario gets better by it:\nhops\.h\.classes\.1:20\.quantum: 4542b\n/,
    );
  });

  it('leaves out none of the leaves of a priority, and none of another priority', () => {
    const advice = advised(
      contested(
        `"1:1": { rate: 2mbit, burst: 20kb, cburst: 20kb },
         "1:10": { parent: "1:1", rate: 64kbit, ceil: 2mbit, burst: 20kb, cburst: 20kb },
         "1:20": { parent: "1:1", rate: 256kbit, ceil: 2mbit, burst: 20kb, cburst: 20kb },
         "1:30": { parent: "1:1", rate: 1mbit, ceil: 2mbit, burst: 20kb, cburst: 20kb },
         "1:40": { parent: "1:1", rate: 8kbit, ceil: 2mbit, prio: 1, burst: 20kb, cburst: 20kb }`,
        [
          ['b', '1:10'],
          ['c', '1:20'],
          ['d', '1:30'],
        ],
      ),
    );
    // 64 : 256 : 1,000, the smallest one packet.
    expect(values(advice)).toEqual({
      'hops.h.classes.1:10.quantum': '1514b',
      'hops.h.classes.1:20.quantum': '6056b',
      'hops.h.classes.1:30.quantum': '23656b',
    });
  });
});

describe('advice on rates', () => {
  it('puts the root below a line that is slower, and fits the children into it', () => {
    const advice = advised(`
duration: 5s
warmup: 1s
hops:
  a:
    shaper: htb
    classes:
      "1:1": { rate: 10mbit, ceil: 8mbit }
      "1:10": { parent: "1:1", rate: 8mbit }
      "1:20": { parent: "1:1", rate: 4mbit }
    link: { rate: 5mbit, delay: 5ms }
flows:
  f: { source: cbr, rate: 10mbit, via: [a], class: "1:10" }
  g: { source: cbr, rate: 10mbit, via: [a], class: "1:20" }
`);
    // 98 % of 5 Mbit/s × 1514 / 1538 = 4.8235 Mbit/s, cut to four digits; the children 8 : 4, of four digits too.
    expect(values(advice)).toEqual({
      'hops.a.classes.1:1.rate': '4823kbit',
      'hops.a.classes.1:1.ceil': '4823kbit',
      'hops.a.classes.1:10.rate': '3215kbit',
      'hops.a.classes.1:10.ceil': '4823kbit',
      'hops.a.classes.1:20.rate': '1607kbit',
      'hops.a.classes.1:20.ceil': '4mbit',
    });
    // The line is faster than 4 Mbit/s: g uses up its tokens and leaves the row, while f has tokens for all of its turns.
    expect(rateOf(advice.before, 'g')).toBeLessThan(0.1 * 4e6);
    expect(rateOf(advice.after, 'f') / 3.215e6).toBeCloseTo(1, 2);
    expect(rateOf(advice.after, 'g') / 1.607e6).toBeCloseTo(1, 2);
    expect(advice.again().proposals).toEqual([]);
  });

  it('takes the queue away from a slow line further on', () => {
    const advice = advised(`
duration: 5s
warmup: 1s
hops:
  router: { shaper: htb, default: "1:10", classes: { "1:10": { rate: 10mbit, burst: 20kb, cburst: 20kb } }, link: { rate: 1gbit } }
  modem: { link: { rate: 5mbit, queue: 50p } }
flows:
  f: { source: bulk, via: [router, modem], returnDelay: 20ms }
`);
    expect(values(advice)).toEqual({ 'hops.router.classes.1:10.rate': '4823kbit' });
    const queue = (point: Advice['before']): number => point.hops.modem!.link.droppedPackets;
    expect(queue(advice.before)).toBeGreaterThan(0);
    expect(queue(advice.after)).toBe(0);
  });

  it('lifts a ceil to the rate that it keeps a class from', () => {
    const advice = advised(`
duration: 2s
warmup: 1s
hops:
  a:
    shaper: htb
    classes:
      "1:1": { rate: 20mbit }
      "1:10": { parent: "1:1", rate: 10mbit, ceil: 8mbit, burst: 20kb, cburst: 20kb }
flows:
  f: { source: cbr, rate: 30mbit, via: [a], class: "1:10" }
`);
    expect(values(advice)).toEqual({ 'hops.a.classes.1:10.ceil': '10mbit' });
    expect(rateOf(advice.before, 'f') / 8e6).toBeCloseTo(1, 2);
    expect(rateOf(advice.after, 'f') / 10e6).toBeCloseTo(1, 2);
  });

  it('finds the rate that gives the wanted one on a kernel with tables', () => {
    const advice = advised(`
duration: 1s
warmup: 100ms
hops:
  h:
    shaper: htb
    kernel: "2.6.25"
    tc: "2.6.23"
    hz: 1000
    classes: { "1:1": { rate: 600mbit, burst: 100kb, cburst: 100kb } }
flows:
  f: { source: cbr, rate: 950mbit, size: 836b, via: [h], class: "1:1" }
`);
    // 600 Mbit/s are priced at 10 ticks of 1,024 ns, 653 Mbit/s; 11 ticks give 593.8.
    expect(rateOf(advice.before, 'f') / ((836 * 8e9) / (10 * 1024))).toBeCloseTo(1, 2);
    expect(rateOf(advice.after, 'f') / ((836 * 8e9) / (11 * 1024))).toBeCloseTo(1, 2);
    expect(advice.proposals[0]?.reason).toMatch(
      /gives 653\.\d+ Mbit\/s for 600 Mbit\/s \(\+8\.[89]\d %\) to packets of 836 B; .* gives 593\.\d+ Mbit\/s \(-1\.0\d %\)$/,
    );
  });

  it('leaves rates alone that limit nothing', () => {
    const advice = advised(`
duration: 1s
warmup: 100ms
hops:
  h:
    shaper: htb
    kernel: "2.6.25"
    tc: "2.6.23"
    hz: 1000
    classes:
      "1:1": { rate: 900mbit, burst: 100kb, cburst: 100kb }
      "1:10": { parent: "1:1", rate: 600mbit, burst: 100kb, cburst: 100kb }
flows:
  f: { source: cbr, rate: 950mbit, size: 836b, via: [h], class: "1:10" }
`);
    // The table gives 1:1 more than 900 Mbit/s too, but 1:10 sends no more than 653.
    expect(Object.keys(values(advice))).toEqual(['hops.h.classes.1:10.rate']);
    expect(advice.idle).toEqual([]);
  });

  it('finds it for the sizes that the flow really mixes', () => {
    const advice = advised(`
duration: 2s
warmup: 500ms
hops:
  h:
    shaper: htb
    kernel: "2.6.22"
    hz: 100
    default: "1:10"
    classes: { "1:10": { rate: 100mbit, burst: 20kb, cburst: 20kb } }
    link: { rate: 1gbit }
flows:
  f: { source: poisson, rate: 200mbit, size: imix, via: [h] }
`);
    expect(Object.keys(values(advice))).toEqual(['hops.h.classes.1:10.rate']);
    // Full frames alone would be off by 1 % and not by 8.
    expect(rateOf(advice.before, 'f')).toBeGreaterThan(107e6);
    expect(Math.abs(rateOf(advice.after, 'f') / 100e6 - 1)).toBeLessThan(0.005);
    expect(advice.proposals[0]?.reason).toContain('packets of 54 to 1514 B as the flows mix them');
  });
});

describe('advice on buckets', () => {
  it('gives a class the burst that a late timer needs, and with it its rate', () => {
    const advice = advised(`
duration: 1s
hops:
  h:
    shaper: htb
    timer: { latency: 300us }
    classes: { "1:1": { rate: 200mbit } }
flows:
  f: { source: cbr, interval: 0s, count: 900, size: 1514b, via: [h], class: "1:1" }
`);
    // 25 MB/s for 1 ms, and one packet.
    expect(values(advice)).toEqual({ 'hops.h.classes.1:1.burst': '26514b', 'hops.h.classes.1:1.cburst': '26514b' });
    // 900 packets at once need 54.5 ms, less one bucket; with a bucket of one packet each waits for a late timer.
    expect(advice.before.flows.f?.delaySeconds.max).toBeGreaterThan(0.15);
    expect(advice.after.flows.f?.delaySeconds.max).toBeCloseTo((900 * 1514 - 26514) / 25e6, 3);
    expect(advice.again().proposals).toEqual([]);
  });

  it('proposes no burst to a scenario whose timers are on time, and says which timer would need one', () => {
    const advice = advised(`
duration: 1s
hops:
  h: { shaper: htb, hz: 250, classes: { "1:1": { rate: 100mbit, burst: 50kb, cburst: 50kb } } }
flows:
  f: { source: cbr, rate: 200mbit, via: [h], class: "1:1" }
`);
    expect(advice.proposals.concat(advice.idle)).toEqual([]);
    // 12.5 MB/s × 4 ms.
    expect(advice.remarks).toEqual([
      expect.stringContaining(
        '2 buckets are smaller than a late timer needs (h.classes.1:1.burst holds 51200 bytes; 50000 are what 100 Mbit/s makes while a timer of hz 250 is 4 ms late, and 1514 a packet)',
      ),
    ]);
  });

  it('gives a policer twice rate × round-trip time', () => {
    const advice = advised(`
duration: 20s
warmup: 5s
hops:
  h: { shaper: police, rate: 15mbit, burst: 5kb, exceed: drop, link: { rate: 100mbit, delay: 10ms } }
flows:
  f: { source: bulk, via: [h] }
`);
    expect(values(advice)).toEqual({ 'hops.h.burst': '75000b' });
    expect(rateOf(advice.after, 'f')).toBeGreaterThan(2 * rateOf(advice.before, 'f'));
    expect(adviceText('x.yaml', advice, 110)).toMatch(/^hops\.h\.burst: 75000b\n {2}the burst is 5120 bytes/);
  });

  it('lets the frames of a flow conform that are longer than a policer of itself takes', () => {
    const advice = advised(`
duration: 2s
hops:
  h: { shaper: police, rate: 50mbit, burst: 200kb, exceed: drop }
flows:
  f: { source: cbr, rate: 20mbit, size: 9000b, via: [h] }
`);
    expect(values(advice)).toEqual({ 'hops.h.mtu': '9000b' });
    expect(rateOf(advice.before, 'f')).toBe(0);
    expect(rateOf(advice.after, 'f') / 20e6).toBeCloseTo(1, 2);
  });

  it('has nothing to say about what is right', () => {
    const advice = advised(`
duration: 1s
hops:
  h: { shaper: tbf, rate: 10mbit, burst: 20kb, latency: 50ms }
flows:
  f: { source: cbr, rate: 1mbit, size: 1514b, via: [h] }
`);
    expect(advice.proposals.concat(advice.idle)).toEqual([]);
    expect(adviceText('x.yaml', advice, 80)).toBe('x.yaml: nothing to propose\n');
  });
});
