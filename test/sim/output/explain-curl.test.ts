import { describe, expect, it } from 'vitest';
import { predictSpan } from '../../../models/curl/predict.ts';
import * as registry from '../../../models/registry.ts';
import { curlPlan } from '../../../models/sources/curl.ts';
import { ConfiguredRates } from '../../../sim/output/configured-rate.ts';
import { pathOf } from '../../../sim/output/curl-path.ts';
import { explainScenario } from '../../../sim/output/explain.ts';
import type { Explanation } from '../../../sim/output/explanation.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';
import type { Scenario } from '../../../sim/scenario/scenario.ts';

type Flow = Readonly<Record<string, unknown>>;

function scenarioOf(flow: Flow, link: Flow): Scenario {
  const document = {
    title: 'curl',
    duration: '60s',
    hops: { wan: { link } },
    flows: { load: { source: 'curl', ...flow, via: ['wan'] } },
  };
  return checkDocument(document, { registry }).first;
}

function explain(flow: Flow, link: Flow = { rate: '1gbit', delay: '5ms' }): Explanation {
  return explainScenario(scenarioOf(flow, link), undefined)[0]!;
}

function labels({ sections }: Explanation): string[] {
  return sections.flatMap(({ lines }) => lines.map(({ label }) => label));
}

const versions = ['7.60.0', '7.88.0', '8.6.0', '8.7.0', '8.17.0', 'pr19384', '8.18.0', '8.19.0', '8.22.0'];

describe('the span of a download', () => {
  it.each(versions)('of %s holds what a run comes to', (version) => {
    const strays: string[] = [];
    const judge = (limit: string, size: string, link: Flow, more: Flow = {}): void => {
      const scenario = scenarioOf({ version, limit, size, ...more }, link);
      const flow = scenario.flows[0]!;
      const span = predictSpan(
        curlPlan(flow.source.values),
        pathOf(scenario, flow, new ConfiguredRates(scenario).of(flow)),
      );
      const { seconds, completed } = simulate({ variables: {}, scenario }, { buckets: 10 }).flows.load!.transfer!;
      expect(completed).toBe(true);
      // The resolution of curl's waits, 1 ms, may be more than a fiftieth of the whole.
      const early = Math.min(span.earliestSeconds * 0.98, span.earliestSeconds - 0.001);
      const late = Math.max(span.latestSeconds * 1.02, span.latestSeconds + 0.001);
      if (seconds < early || seconds > late) {
        const where = `${limit} ${size} ${JSON.stringify({ ...link, ...more })}`;
        strays.push(`${where}: ${seconds} s is not from ${span.earliestSeconds} to ${span.latestSeconds} s`);
      }
    };
    for (const delay of ['50us', '1ms', '5ms', '40ms']) {
      for (const size of ['1KiB', '5KiB', '8KiB', '10KiB', '12KiB', '14KiB', '30KiB', '100KiB', '300KiB', '1MiB']) {
        judge('100k', size, { rate: '1gbit', delay });
        judge('1M', size, { rate: '20mbit', delay });
        judge('10M', size, { rate: '1gbit', delay });
      }
    }
    judge('10M', '10MiB', { rate: '1gbit', delay: '1ms' });
    judge('2M', '20MiB', { rate: '50mbit', delay: '5ms' });
    judge('10k', '30KiB', { rate: '1gbit', delay: '1ms' });
    judge('10M', '1MiB', { rate: '5mbit', delay: '5ms' });
    judge('100k', '10KiB', { rate: '1gbit', delay: '5ms' }, { buffer: '1024b' });
    judge('100k', '30KiB', { rate: '1gbit', delay: '5ms' }, { client: 'lib', length: 'chunked' });
    judge('1M', '1MiB', { rate: '1gbit', delay: '5ms' }, { client: 'lib' });
    judge('1M', '1MiB', { rate: '1gbit', delay: '5ms' }, { http: '2' });
    expect(strays).toEqual([]);
  });

  it('is one time where the first read takes all, before the steps are tuned', () => {
    // 2.5 ms of work, two round trips of 10 ms, and two wakes: 22.7 ms, where 10 KiB at 100 KiB/s ask for 100.
    const explanation = explain({ version: '8.19.0', limit: '100k', size: '10KiB' });
    expect(explanation.cause).toMatch(
      /10,240 B come with the header in the server's first window.*before the limiter is tuned/,
    );
    expect(explanation.conclusion).toMatch(
      /^From the call on, 10,240 bytes take 22\.\d+ ms, \+3\d\d\.\d % against the limit\.$/,
    );
    const [least, most] = explanation.causePercent!;
    // The run takes 22.8 ms: 338 % above the limit.
    expect(least).toBeLessThan(338);
    expect(most).toBeGreaterThan(338);
  });

  it('of an average window says how much the last visit may take', () => {
    // Eleven reads of 102400 bytes.
    const { cause } = explain({ version: '8.6.0', limit: '2M', size: '20MiB' });
    expect(cause).toMatch(/up to 1,126,400 B of 20,971,520 B are not waited for, as many as are there by then\.$/);
  });

  it('is that of the tuned step where the body does not fit into the first window', () => {
    const explanation = explain({ version: '8.19.0', limit: '100k', size: '30KiB' });
    // 30720 - 307 bytes at 102400 a second: 297 ms.
    expect(explanation.cause).toMatch(/waits once, 297 ms/);
    expect(explanation.cause).not.toMatch(/first read/);
  });

  it('tells both outcomes where microseconds decide between them', () => {
    // Ten segments of a gigabit take 123 µs to arrive, and curl looks 100 µs after the first.
    const { cause, conclusion } = explain({ version: '8.19.0', limit: '100k', size: '12KiB' });
    expect(cause).toMatch(/if it has come by then.*Otherwise:.*waits once/);
    expect(conclusion).toMatch(/take from 2\d\.\d+ ms, \+4\d\d.*, to 1[2-5]\d\.?\d* ms/);
  });
});

describe('a transfer of curl', () => {
  it('over a link below its limit is decided by the link', () => {
    const link = { rate: '5mbit', delay: '5ms' };
    for (const version of ['8.6.0', '8.18.0', '8.22.0']) {
      const explanation = explain({ version, limit: '10M', size: '30MiB' }, link);
      const { cause } = explanation;
      expect(labels(explanation)).toContain('payload');
      expect(labels(explanation).filter((label) => /lump|visit|wait/.test(label))).toEqual([]);
      expect(cause).toMatch(
        /^The link carries a payload of 4\.\d+ Mbit\/s at most, .*: the link decides, and not the limiter\.$/,
      );
    }
  });

  it('without a body waits for nothing', () => {
    for (const version of ['8.6.0', '8.18.0', '8.22.0']) {
      const explanation = explain({ version, limit: '1k', size: '0b' });
      expect(explanation.cause).toBe('There is no body, and so nothing that the limiter could count.');
      expect(JSON.stringify(explanation)).not.toMatch(/-\d/);
    }
  });

  it('has windows of a stream only over HTTP/2', () => {
    const flow = { version: '8.22.0', limit: '2M', size: '5MiB' };
    expect(labels(explain(flow))).not.toContain('stream window');
    expect(labels(explain({ ...flow, http: '2' }))).toContain('stream window');
  });
});
