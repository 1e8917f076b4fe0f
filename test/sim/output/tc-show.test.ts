import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { tcShow } from '../../../sim/output/tc-show.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { importTc } from '../../../sim/tc/import.ts';

const golden = (name: string): string => readFileSync(new URL(`../../golden/tc-6.1/${name}`, import.meta.url), 'utf8');

/** What tc prints, with the numbers that depend on the traffic taken out. */
function form(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trimEnd())
    .map((line) =>
      line.startsWith(' ') || line.startsWith('\t')
        ? line.replaceAll(/-?\d+(?:[KM]?b|p)?/g, (number) => number.replace(/-?\d+(?:[KM])?/, 'N'))
        : line.replace(/refcnt \d+/, 'refcnt N'),
    );
}

/** The simulated state after the commands of tc 6.1's golden files. */
function shown(): { readonly classes: string; readonly qdiscs: string } {
  const yaml = importTc(golden('script.txt'), 'script.txt').yaml!.replace(
    'shaper: htb',
    'shaper: htb\n    tc: "6.1"\n    kernel: "6.12"',
  );
  const loaded = loadScenario(yaml, 'x.yaml', { registry });
  const text = tcShow(loaded.first, simulate(loaded.pointAt(0), { buckets: 0 }));
  const at = text.indexOf('# d0: tc -s -d qdisc show');
  return { classes: text.slice(0, at), qdiscs: text.slice(at) };
}

describe('the simulated state in the words of tc 6.1', () => {
  it('has the classes of tc -s -d class show', () => {
    expect(form(shown().classes)).toEqual(form(golden('class-show.txt')));
  });
  it('has the qdiscs of tc -s -d qdisc show', () => {
    expect(form(shown().qdiscs)).toEqual(form(golden('qdisc-show.txt')));
  });
  it('has the counters of the simulation', () => {
    const yaml = `
duration: 1s
hops:
  h: { shaper: htb, kernel: "6.12", tc: "6.1", default: "1:1", classes: { "1:1": { rate: 80kbit } } }
flows:
  f: { source: cbr, interval: 0s, count: 30, size: 1000b, via: [h] }
`;
    const loaded = loadScenario(yaml, 'x.yaml', { registry });
    const text = tcShow(loaded.first, simulate(loaded.pointAt(0), { buckets: 0 }));
    // 10,000 bytes in a second, 1,600 of the bucket, and the packet that leaves in debt: 12 packets, 18 wait.
    expect(text).toContain(' Sent 12000 bytes 12 pkt (dropped 0, overlimits ');
    expect(text).toContain(' backlog 18000b 18p requeues 0');
    expect(text).toContain(' lended: 12 borrowed: 0 giants: 0');
  });
});
