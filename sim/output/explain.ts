import type { CurlPlan } from '../../models/curl/client.ts';
import { FAST_PATH, type PredictionLine, type PredictionPath, predictTransfer } from '../../models/curl/predict.ts';
import { htbValues } from '../../models/linux/htb/class-figures.ts';
import type { NestedModel, Parameter, Values } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import { curlPlan } from '../../models/sources/curl.ts';
import { MSS_BYTES } from '../../models/tcp/headers.ts';
import { tcpSettings } from '../../models/tcp/settings.ts';
import type { FlowSpec, HopSpec, Scenario } from '../scenario/scenario.ts';
import { formatDuration } from '../units/duration.ts';
import { writeSize } from '../units/size.ts';
import { type CauseOfLess, curlCause, policerCause } from './cause.ts';
import { HopClasses } from './class-of-flow.ts';
import { type ConfiguredRate, ConfiguredRates, isOpenLoop } from './configured-rate.ts';
import { explainHtb } from './explain-htb.ts';
import { explainTokenBucket } from './explain-token-bucket.ts';
import { type ExplainedPacket, FULL_SEGMENT_BYTES, packetsOf, plainPacket } from './explained-packet.ts';
import type { Explanation, ExplanationLine } from './explanation.ts';
import { figure, fixed } from './figures.ts';

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

/** Round-trip time of a flow without queues (ns). */
function roundTripNs({ hops }: Scenario, { via, source }: FlowSpec): number {
  const forwardNs = hops.filter(({ name }) => via.includes(name)).reduce((sum, { link }) => sum + link.delayNs, 0);
  const { returnDelay } = source.values;
  return forwardNs + (typeof returnDelay === 'number' ? returnDelay : forwardNs);
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

function explainCurl(scenario: Scenario, flow: FlowSpec, allowed: ConfiguredRate | undefined): Explanation {
  const plan = curlPlan(flow.source.values);
  const predicted = predictTransfer(plan, pathOf(scenario, flow, allowed));
  const lines = predicted.map(curlLine);
  const cause = curlCause(plan, predicted);
  const rate = lines.find(({ label }) => label === 'rate');
  const deviates = lines.find(({ label }) => label === 'deviation');
  const conclusion =
    rate === undefined || deviates === undefined
      ? {}
      : {
          conclusion: `Counted from the first byte of the answer, ${bytesText(plan)} arrive at ${rate.value}, ${deviates.value} against the limit.`,
        };
  return {
    subject: `flow ${flow.name}: curl ${plan.rules.version}`,
    ...(cause === undefined ? {} : { cause }),
    ...conclusion,
    predictions: predicted
      .filter(({ label }) => label === 'rate' && cause !== undefined)
      .map(({ value }) => ({ bitsPerSecond: value, level: 'transfer', words: cause! })),
    sections: [{ title: 'from the limit to the finish', lines }],
    warnings: [],
  };
}

function bytesText({ sizeBytes }: CurlPlan): string {
  return `${fixed(sizeBytes, 0)} bytes`;
}

function curlLine({ label, value, unit, rule }: PredictionLine): ExplanationLine {
  const texts: Readonly<Record<PredictionLine['unit'], () => string>> = {
    B: () => `${fixed(value, 0)} B`,
    'B/s': () => `${fixed(value, 0)} bytes/s = ${figure(value * 8, 'rate')}`,
    'bit/s': () => figure(value, 'rate'),
    s: () => figure(value, 'time'),
    '%': () => `${value > 0 ? '+' : ''}${fixed(value, 1)} %`,
    steps: () => `${fixed(value, 0)} steps`,
    visits: () => `${fixed(value, 0)} visits`,
  };
  return { label, value: texts[unit](), rule };
}

/** What of a flow's path shows in a transfer: the slowest link or shaper, and the receive queue once it has grown. */
function pathOf(scenario: Scenario, flow: FlowSpec, bound: ConfiguredRate | undefined): PredictionPath {
  const payloads = scenario.hops
    .filter(({ name, link }) => flow.via.includes(name) && link.rateBitsPerSecond > 0)
    .map(({ link }) => (link.rateBitsPerSecond / 8) * (MSS_BYTES / (FULL_SEGMENT_BYTES + link.overheadBytes)));
  if (bound?.level === 'accounted') payloads.push((bound.bitsPerSecond / 8) * (MSS_BYTES / FULL_SEGMENT_BYTES));
  const tcp = tcpSettings((flow.source.values.tcp as Values | undefined) ?? {});
  const bufferBytes = tcp.rcvbufFixedBytes > 0 ? tcp.rcvbufFixedBytes : tcp.rcvbufMaxBytes;
  return {
    payloadBytesPerSecond: Math.min(FAST_PATH.payloadBytesPerSecond, ...payloads),
    queueBytes: Math.trunc((bufferBytes * tcp.scalingRatio) / 256),
  };
}
