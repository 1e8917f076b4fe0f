import type { CurlPlan } from '../../models/curl/client.ts';
import type { Span } from '../../models/curl/outcome.ts';
import { isUncertain, type PredictionLine, predictSpan, predictTransfer } from '../../models/curl/predict.ts';
import { curlPlan } from '../../models/sources/curl.ts';
import type { FlowSpec, Scenario } from '../scenario/scenario.ts';
import type { ConfiguredRate } from './configured-rate.ts';
import { curlCause } from './curl-cause.ts';
import { pathOf } from './curl-path.ts';
import type { Explanation, ExplanationLine } from './explanation.ts';
import { figure, fixed } from './figures.ts';

/** How far beyond its span a run may be for the span to be its reason (share). */
const BESIDE = 0.02;

/** Explains a transfer by curl: from its limit to its finish, and what decides. */
export function explainCurl(scenario: Scenario, flow: FlowSpec, allowed: ConfiguredRate | undefined): Explanation {
  const plan = curlPlan(flow.source.values);
  const path = pathOf(scenario, flow, allowed);
  const predicted = predictTransfer(plan, path);
  const span = predictSpan(plan, path);
  const cause = curlCause(plan, path, predicted);
  const isLimited = plan.limitBytesPerSecond > 0 && plan.sizeBytes > 0;
  return {
    subject: `flow ${flow.name}: curl ${plan.rules.version}`,
    ...(cause === undefined ? {} : { cause }),
    conclusion: conclusionOf(plan, predicted, span),
    predictions: predicted
      .filter(({ label }) => label === 'rate' && cause !== undefined)
      .map(({ value }) => ({ bitsPerSecond: value, level: 'transfer', words: cause! })),
    ...(cause === undefined || !isLimited ? {} : { causePercent: percentsOf(plan, span) }),
    sections: [{ title: 'from the limit to the finish', lines: predicted.map(curlLine) }],
    warnings: [],
  };
}

function deviationPercent({ sizeBytes, limitBytesPerSecond }: CurlPlan, seconds: number): number {
  return 100 * (sizeBytes / seconds / limitBytesPerSecond - 1);
}

function percentsOf(plan: CurlPlan, { earliestSeconds, latestSeconds }: Span): readonly [number, number] {
  return [deviationPercent(plan, latestSeconds * (1 + BESIDE)), deviationPercent(plan, earliestSeconds * (1 - BESIDE))];
}

function conclusionOf(plan: CurlPlan, predicted: readonly PredictionLine[], span: Span): string {
  const isLimited = plan.limitBytesPerSecond > 0 && plan.sizeBytes > 0;
  const against = (seconds: number): string => (isLimited ? `, ${signed(deviationPercent(plan, seconds))}` : '');
  const subject = `From the call on, ${fixed(plan.sizeBytes, 0)} bytes take`;
  const finish = predicted.find(({ label }) => label === 'finish')!.value;
  if (!isUncertain(span)) {
    return `${subject} ${figure(finish, 'time')}${against(finish)}${isLimited ? ' against the limit' : ''}.`;
  }
  const [earliest, latest] = [span.earliestSeconds, span.latestSeconds];
  return (
    `${subject} from ${figure(earliest, 'time')}${against(earliest)}${isLimited ? ' against the limit,' : ''} to ` +
    `${figure(latest, 'time')}${against(latest)}: how much is there when curl reads is not known without a run.`
  );
}

function curlLine({ label, value, unit, rule }: PredictionLine): ExplanationLine {
  const texts: Readonly<Record<PredictionLine['unit'], () => string>> = {
    B: () => `${fixed(value, 0)} B`,
    'B/s': () => `${fixed(value, 0)} bytes/s = ${figure(value * 8, 'rate')}`,
    'bit/s': () => figure(value, 'rate'),
    s: () => figure(value, 'time'),
    '%': () => signed(value),
    steps: () => `${fixed(value, 0)} steps`,
    visits: () => `${fixed(value, 0)} visits`,
  };
  return { label, value: texts[unit](), rule };
}

function signed(percent: number): string {
  return `${percent > 0 ? '+' : ''}${fixed(percent, 1)} %`;
}
