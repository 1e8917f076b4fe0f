import { htbValues } from '../../models/linux/htb/class-figures.ts';
import type { NestedModel, Parameter } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import type { FlowSpec, HopSpec, Scenario } from '../scenario/scenario.ts';
import { formatDuration } from '../units/duration.ts';
import { writeSize } from '../units/size.ts';
import { type CauseOfLess, policerCause } from './cause.ts';
import { HopClasses } from './class-of-flow.ts';
import { ConfiguredRates, isOpenLoop } from './configured-rate.ts';
import { roundTripNs } from './curl-path.ts';
import { explainCurl } from './explain-curl.ts';
import { explainHtb } from './explain-htb.ts';
import { explainTokenBucket } from './explain-token-bucket.ts';
import { type ExplainedPacket, packetsOf, plainPacket } from './explained-packet.ts';
import type { Explanation, ExplanationLine } from './explanation.ts';
import { figure } from './figures.ts';

/**
 * Explains every shaper and class of a scenario, and its curl transfers.
 *
 * @param sizeBytes packet size to explain; undefined: those that the flows send
 */
export function explainScenario(scenario: Scenario, sizeBytes: number | undefined): Explanation[] {
  const hops = scenario.hops.flatMap((hop) =>
    hop.shaper === undefined ? [] : explainHop(scenario, hop, hop.shaper, sizeBytes),
  );
  const allowed = new ConfiguredRates(scenario);
  const transfers = scenario.flows
    .filter(({ source }) => source.kind === 'curl')
    .map((flow) => explainCurl(scenario, flow, allowed.of(flow)));
  return [...hops, ...transfers];
}

function explainHop(
  scenario: Scenario,
  hop: HopSpec,
  shaper: NestedModel,
  sizeBytes: number | undefined,
): Explanation[] {
  const flows = scenario.flows.filter(({ via }) => via.includes(hop.name));
  const explained = (some: readonly FlowSpec[]): readonly ExplainedPacket[] =>
    sizeBytes === undefined ? packetsOf(some) : [plainPacket(sizeBytes)];
  if (shaper.kind === 'htb') {
    const values = htbValues(shaper.values);
    const classes = new HopClasses(hop);
    const flowsOf = new Map<string, FlowSpec[]>(Object.keys(values.classes).map((name) => [name, []]));
    for (const flow of flows) {
      for (const { name } of classes.lineOf(flow)) flowsOf.get(name)!.push(flow);
    }
    return explainHtb(hop, values, classes, (name) => explained(flowsOf.get(name)!));
  }
  const bucket =
    shaper.kind === 'tbf' || shaper.kind === 'police' ? explainTokenBucket(hop, shaper, explained(flows)) : undefined;
  const explanation = bucket ?? explainParameters(hop, shaper);
  const cause = shaper.kind === 'police' ? policedCause(scenario, shaper, flows) : undefined;
  return [cause === undefined ? explanation : { ...explanation, ...cause }];
}

/** What a policer does to the TCP flows through it; undefined where there are none, or no time goes by on their way. */
function policedCause(
  scenario: Scenario,
  { values }: NestedModel,
  flows: readonly FlowSpec[],
): CauseOfLess | undefined {
  const { rate, burst } = values;
  const rttNs = Math.max(0, ...flows.filter((flow) => !isOpenLoop(flow)).map((flow) => roundTripNs(scenario, flow)));
  if (typeof rate !== 'number' || typeof burst !== 'number' || rttNs === 0) return undefined;
  return policerCause(rate, burst, rttNs);
}

/** A model without arithmetic of its own: what it is set to. */
function explainParameters(hop: HopSpec, { kind, values }: NestedModel): Explanation {
  const declaration = modelsOf('shaper').get(kind);
  const lines = Object.entries(declaration?.parameters ?? {}).flatMap(([name, parameter]): ExplanationLine[] => {
    const value = values[name];
    return value === undefined ? [] : [{ label: name, value: valueText(value, parameter), rule: parameter.help }];
  });
  return {
    subject: `${kind} of ${hop.name}`,
    sections: [{ title: declaration?.summary ?? kind, lines }],
    warnings: [],
  };
}

function valueText(value: unknown, { type }: Parameter): string {
  if (typeof value !== 'number') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (type === 'rate') return figure(value, 'rate');
  if (type === 'duration') return formatDuration(value);
  if (type === 'size') return writeSize(value);
  return String(value);
}
