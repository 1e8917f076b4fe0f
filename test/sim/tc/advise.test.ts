import { describe, expect, it } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { adviceText } from '../../../sim/output/advice-text.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';
import { applyProposals, propose } from '../../../sim/tc/advise.ts';
import { ran, scenarioOf } from './support.ts';

function advised(yaml: string) {
  const loaded = scenarioOf(yaml);
  const proposals = propose(loaded.first);
  const document = applyProposals(loaded.document, {}, proposals);
  const changed = checkDocument(document, { registry });
  return { proposals, before: ran(loaded), after: ran(changed), again: propose(changed.first) };
}
const values = (proposals: ReturnType<typeof propose>): Record<string, string> =>
  Object.fromEntries(proposals.map(({ path, value }) => [path.join('.'), value]));

describe('advice', () => {
  it('gives a class the burst that a late timer needs, and with it its rate', () => {
    const { proposals, before, after, again } = advised(`
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
    expect(values(proposals)).toEqual({ 'hops.h.classes.1:1.burst': '26514b', 'hops.h.classes.1:1.cburst': '26514b' });
    // 900 packets at once need 54.5 ms, less one bucket; with a bucket of one packet each waits for a late timer.
    expect(before.flows.f?.delaySeconds.max).toBeGreaterThan(0.15);
    expect(after.flows.f?.delaySeconds.max).toBeCloseTo((900 * 1514 - 26514) / 25e6, 3);
    expect(again).toEqual([]);
  });
  it('finds the rate that gives the wanted one on a kernel with tables', () => {
    const { proposals, after } = advised(`
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
    const rate = values(proposals)['hops.h.classes.1:1.rate'];
    expect(rate).toBeDefined();
    expect(after.flows.f!.bitsPerSecond.accounted / ((836 * 8e9) / (11 * 1024))).toBeCloseTo(1, 2);
  });
  it('gives a policer twice rate × round-trip time', () => {
    const { proposals, before, after } = advised(`
duration: 20s
warmup: 5s
hops:
  h: { shaper: police, rate: 15mbit, burst: 5kb, exceed: drop, link: { rate: 100mbit, delay: 10ms } }
flows:
  f: { source: bulk, via: [h] }
`);
    expect(values(proposals)).toEqual({ 'hops.h.burst': '75000b' });
    expect(after.flows.f!.bitsPerSecond.accounted).toBeGreaterThan(2 * before.flows.f!.bitsPerSecond.accounted);
    expect(adviceText('x.yaml', proposals, before, after)).toMatch(
      /^hops\.h\.burst: 75000b\n {2}the burst is 5120 bytes/,
    );
  });
  it('has nothing to say about what is right', () => {
    const { proposals, before, after } = advised(`
duration: 1s
hops:
  h: { shaper: tbf, rate: 10mbit, burst: 20kb, latency: 50ms }
flows:
  f: { source: cbr, rate: 1mbit, size: 1514b, via: [h] }
`);
    expect(proposals).toEqual([]);
    expect(adviceText('x.yaml', proposals, before, after)).toBe('x.yaml: nothing to propose\n');
  });
});
