import { describe, expect, test } from 'vitest';
import { checkDocument, loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { brief, load, problemsOf, scenarioText } from './builder.ts';
import { fakeRegistry } from './fake-models.ts';

describe('a scenario', () => {
  test('has its defaults filled in', () => {
    expect(load({ hop: 'link: { rate: 10mbit }' }).first).toEqual({
      title: 'Untitled',
      about: '',
      seed: 1,
      durationNs: 1e9,
      warmupNs: 0,
      clockStartNs: 0,
      hops: [
        {
          name: 'wan',
          timer: { resolutionNs: 1, latencyNs: 0 },
          link: {
            rateBitsPerSecond: 1e7,
            delayNs: 0,
            fcsBytes: 4,
            overheadBytes: 24,
            queue: { packets: 1000 },
            loss: 0,
            drop: [],
          },
        },
      ],
      flows: [
        {
          name: 'a',
          source: { kind: 'steady', values: { rate: 1e6 } },
          via: ['wan'],
          priority: 0,
          headersBytes: 42,
          startNs: 0,
          ecn: 0,
          header: { proto: 17, src: 0, dst: 0, sport: 0, dport: 0, tos: 0, mark: 0, lengthBytes: 0 },
        },
      ],
      expect: [],
    });
  });

  test('keeps what it says', () => {
    const { first } = load({
      top: 'title: T\nabout: A\nseed: 7\nwarmup: 100ms\nclockStart: 3us',
      hop: 'shaper: bucket, rate: 1mbit, timer: { resolution: 1ms, latency: 50us }, link: { rate: 1gbit, delay: 5ms, fcs: 0b, overhead: 20b, queue: 40ms, loss: 1%, drop: [3, 17] }',
      flow: 'rate: 2mbit, headers: 54b, start: 1ms, stop: 2ms, count: 5, ecn: true',
    });
    expect(first).toMatchObject({ title: 'T', about: 'A', seed: 7, warmupNs: 1e8, clockStartNs: 3000 });
    expect(first.hops[0]).toMatchObject({
      timer: { resolutionNs: 1_000_000, latencyNs: 50_000 },
      link: {
        delayNs: 5_000_000,
        fcsBytes: 0,
        overheadBytes: 20,
        queue: { ns: 40_000_000 },
        loss: 0.01,
        drop: [3, 17],
      },
    });
    expect(first.flows[0]).toMatchObject({ headersBytes: 54, startNs: 1e6, stopNs: 2e6, count: 5, ecn: 2 });
  });

  test('is plain data', () => {
    const { first } = load({ hop: 'shaper: plain', flow: 'class: "1:2"' });
    expect(JSON.parse(JSON.stringify(first))).toEqual(first);
  });
});

describe('a class of a flow', () => {
  const hop =
    'shaper: bucket, rate: 1mbit, classes: { "2:1": { rate: 1mbit }, "2:10": { parent: "2:1", rate: 1mbit, qdisc: { kind: plain, handle: "a:" } } }';
  const classOf = (className: string, hopKeys = hop) =>
    load({ hop: hopKeys, flow: `class: "${className}"` }).first.flows[0]!;

  test('gives its packets their priority', () => {
    expect(classOf('2:10')).toMatchObject({ priority: 0x20010, className: '2:10' });
  });

  test('may be the direct queue: the handle of the root', () => {
    expect(classOf('direct')).toMatchObject({ priority: 0x20000, className: 'direct' });
    expect(classOf('direct', 'shaper: plain').priority).toBe(0x10000);
    expect(classOf('direct', 'shaper: plain, handle: "7:"').priority).toBe(0x70000);
  });

  test('may be one of a qdisc that lists none', () => {
    expect(classOf('a:3').priority).toBe(0xa0003);
    expect(classOf('1:3', 'shaper: plain').priority).toBe(0x10003);
  });

  test('must be a leaf', () => {
    expect(brief(() => classOf('2:1'))).toEqual([
      'flows.a.class: expected a leaf class, as only leaves have queues but received 2:1, which has children',
    ]);
  });

  test('must be there', () => {
    expect(brief(() => classOf('2:11'))).toEqual([
      'flows.a.class: expected a leaf class of a hop on the path, or direct but received "2:11"',
    ]);
    expect(brief(() => classOf('1:1', 'link: {}'))).toEqual([
      'flows.a.class: expected no class, as no hop on the path has classes but received "1:1"',
    ]);
  });

  test('is not complained about where the hop itself has problems', () => {
    expect(brief(() => classOf('2:99', `${hop}, bands: x`))).toEqual([
      'hops.wan.bands: expected a whole number but received "x"',
    ]);
  });
});

describe('a link trace', () => {
  const traceOf = (trace: string, files: Record<string, string> = {}) =>
    load(
      { hop: `link: { trace: ${trace} }` },
      {
        readText(path) {
          if (files[path] === undefined) throw new Error('no such file');
          return files[path];
        },
      },
    ).first.hops[0]!.link.opportunitiesNs;

  test('is a list of instants, or a file of mahimahi', () => {
    expect(traceOf('[0ms, 5ms, 5ms, 12ms]')).toEqual([0, 5e6, 5e6, 12e6]);
    expect(traceOf('lte.trace', { 'lte.trace': '0\n5\n5\n12\n' })).toEqual([0, 5e6, 5e6, 12e6]);
  });

  test('must not fall, and must take time', () => {
    expect(brief(() => traceOf('[5ms, 4ms]'))).toEqual([
      'hops.wan.link.trace.1: expected an instant not before the one above (5000000 ns) but received 4000000 ns',
    ]);
    expect(brief(() => traceOf('[0ms]'))).toHaveLength(1);
    expect(brief(() => traceOf('x', { x: '5\n4\n' }))).toEqual([
      'hops.wan.link.trace: expected whole milliseconds in line 2 of the file, not falling but received "4"',
    ]);
    expect(brief(() => traceOf('x', { x: '' }))).toHaveLength(1);
  });

  test('stands in place of a rate', () => {
    expect(brief(() => load({ hop: 'link: { rate: 1gbit, trace: [1ms] }' }))).toEqual([
      'hops.wan.link.rate: expected either rate or trace but received both',
    ]);
  });

  test('must be readable', () => {
    expect(problemsOf(() => traceOf('none'))[0]).toMatchObject({ received: 'none', hint: 'no such file' });
  });
});

describe('a document without text', () => {
  const document = {
    duration: '1s',
    vars: { rate: '1mbit' },
    sweep: { rate: '1mbit..3mbit/1mbit' },
    hops: { wan: { link: { rate: '${rate}' } } },
    flows: { a: { source: 'steady', via: ['wan'] } },
  };

  test('gives the same scenario as its text', () => {
    const text = scenarioText({
      top: 'vars: { rate: 1mbit }\nsweep: { rate: 1mbit..3mbit/1mbit }',
      hop: 'link: { rate: "${rate}" }',
    });
    const fromText = loadScenario(text, 'x.yaml', { registry: fakeRegistry });
    const fromData = checkDocument(fromText.document, { registry: fakeRegistry });
    expect([...fromData.points()]).toEqual([...fromText.points()]);
    expect([...checkDocument(document, { registry: fakeRegistry }).points()]).toEqual([...fromText.points()]);
  });

  test('gives problems without places, in the order of the document', () => {
    const bad = { ...document, durations: 1, flows: { a: { source: 'steady', via: ['lan'], x: 1 } } };
    const problems = problemsOf(() => checkDocument(bad, { registry: fakeRegistry }));
    expect(problems.map(({ path, place }) => [path.join('.'), place])).toEqual([
      ['flows.a.via.0', undefined],
      ['flows.a.x', undefined],
      ['durations', undefined],
    ]);
  });

  test.each([null, 5, 'text', []])('%j is refused', (nothing) => {
    expect(brief(() => checkDocument(nothing, { registry: fakeRegistry }))).toHaveLength(1);
  });

  test('cannot smuggle in a prototype', () => {
    const evil = JSON.parse(
      '{"duration":"1s","hops":{"__proto__":{"link":{}}},"flows":{"a":{"source":"steady","via":["__proto__"]}}}',
    );
    expect(brief(() => checkDocument(evil, { registry: fakeRegistry })).join('\n')).toContain(
      'hops.__proto__: expected another name',
    );
  });
});

describe('names', () => {
  test.each(['a b', '', '-x', 'a"b'])('%j is none for a hop', (name) => {
    const document = {
      duration: '1s',
      hops: { [name]: { link: {} } },
      flows: { a: { source: 'steady', via: [name] } },
    };
    expect(brief(() => checkDocument(document, { registry: fakeRegistry }))[0]).toContain('expected a name of letters');
  });

  test('of letters of any language, digits and . _ : + - are fine', () => {
    const document = {
      duration: '1s',
      hops: { 'größe.1:2_+-': { link: {} } },
      flows: { a: { source: 'steady', via: ['größe.1:2_+-'] } },
    };
    expect(checkDocument(document, { registry: fakeRegistry }).first.hops).toHaveLength(1);
  });
});
