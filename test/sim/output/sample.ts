import * as registry from '../../../models/registry.ts';
import { makeResult } from '../../../sim/output/make-result.ts';
import { type PointReading, readPoint } from '../../../sim/output/reading.ts';
import type { Result } from '../../../sim/run/result.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { type LoadedScenario, loadScenario } from '../../../sim/scenario/load-scenario.ts';

/** A scenario of one hop with HTB: `classes` and `flows` in YAML, one a line. */
export function htbScenario(classes: string, flows: string, more = ''): LoadedScenario {
  const indented = (text: string) => text.replaceAll(/^\s*(?=\S)/gm, '      ');
  const text = `title: Sample
duration: 100ms
warmup: 20ms
${more}
hops:
  wan:
    shaper: htb
    kernel: "6.12"
    classes:
${indented(classes)}
    link: { rate: 1gbit }
flows:
${indented(flows)}
`;
  return loadScenario(text, 'sample.yaml', { registry });
}

/** Runs every point of a scenario. */
export function ranThrough(loaded: LoadedScenario): { readonly result: Result; readonly readings: PointReading[] } {
  const points = [...loaded.points()].map((point) => ({ point, result: simulate(point, { buckets: 0 }) }));
  const result = makeResult(
    loaded,
    '',
    points.map((ran) => ran.result),
    { wallSeconds: 0.25, version: '1.2.3' },
  );
  return { result, readings: points.map((ran) => readPoint(ran.point.scenario, ran.result, loaded.references)) };
}
