import type { CurlPlan } from '../../models/curl/client.ts';
import {
  deciderOf,
  fullestVisitBytes,
  type PredictionPath,
  sustainedBytesPerSecond,
} from '../../models/curl/outcome.ts';
import type { PredictionLine } from '../../models/curl/predict.ts';
import { figure, fixed } from './figures.ts';

/** Why a transfer by curl misses its limit, in a sentence or two; undefined where nothing limits it. */
export function curlCause(plan: CurlPlan, path: PredictionPath, lines: readonly PredictionLine[]): string | undefined {
  if (plan.limitBytesPerSecond === 0) return undefined;
  const decider = deciderOf(plan, path);
  if (decider === 'nothing') return 'There is no body, and so nothing that the limiter could count.';
  if (decider === 'path') return pathCause(plan, path);
  if (decider === 'first-read') return `${firstReadCause(plan)}, so that nothing waits.`;
  const cause = limiterCause(plan, path, lines);
  return decider === 'limiter'
    ? cause
    : `${firstReadCause(plan)} if it has come by then, and nothing waits; microseconds decide that. Otherwise: ${cause}`;
}

function pathCause({ limitBytesPerSecond }: CurlPlan, path: PredictionPath): string {
  const payload = 8 * sustainedBytesPerSecond(path);
  const isWindow = path.payloadBytesPerSecond * 8 > payload;
  return (
    `${isWindow ? 'The receive window carries a payload of' : 'The link carries a payload of'} ${figure(payload, 'rate')} ` +
    `at most, no more than the limit of ${figure(8 * limitBytesPerSecond, 'rate')}: ` +
    `${isWindow ? 'the window' : 'the link'} decides, and not the limiter.`
  );
}

function firstReadCause({ rules, sizeBytes }: CurlPlan): string {
  const before =
    rules.steps === 'tuned' ? 'before the limiter is tuned to the length' : 'before the limiter has counted a byte';
  return `The ${bytes(sizeBytes)} come with the header in the server's first window, and curl's first read takes them whole, ${before}`;
}

function limiterCause(plan: CurlPlan, path: PredictionPath, lines: readonly PredictionLine[]): string {
  const of = (label: string): number | undefined => lines.find((line) => line.label === label)?.value;
  const [step, lump, lumps] = [of('step'), of('lump'), of('lumps')];
  if (step !== undefined && lump !== undefined && lumps !== undefined) {
    return lumpsCause(plan, { step, lump, lumps, last: of('last lump')! });
  }
  const last = of('last visit');
  return last === undefined
    ? 'curl waits after each send until the average is down to the limit again, also after the last one.'
    : `curl waits after each read until the average is down to the limit again, but not after the last one: up to ` +
        `${bytes(fullestVisitBytes(plan, path))} of ${bytes(plan.sizeBytes)} are not waited for, as many as are there by then.`;
}

interface Lumps {
  readonly step: number;
  readonly lump: number;
  readonly lumps: number;
  readonly last: number;
}

function lumpsCause(plan: CurlPlan, { step, lump, lumps, last }: Lumps): string {
  const given = `The limiter gives the bytes of a whole step of ${figure(step, 'time')} at once, ${bytes(lump)}, and those of the first step at the start`;
  const isAnswerAwaited = plan.direction === 'upload' && last === lump;
  const waits = lumps - 1 + (isAnswerAwaited ? 1 : 0);
  if (waits === 0) return `${given}: all of the ${bytes(plan.sizeBytes)} fit into that and pass without being limited.`;
  const due = figure(plan.sizeBytes / plan.limitBytesPerSecond, 'time');
  const waited =
    waits === 1
      ? `once, ${figure(step, 'time')}`
      : `${fixed(waits, 0)} times, ${figure(waits * step, 'time')} together`;
  const end = isAnswerAwaited
    ? 'the answer waits for one more step'
    : `the last one, ${bytes(last)}, is not waited for any longer`;
  return (
    `${given}. ${bytes(plan.sizeBytes)} are ${fixed(lumps, 0)} such lumps: the first passes at once, and ${end}. ` +
    `So curl waits ${waited}, where the limit asks for ${due}.`
  );
}

function bytes(count: number): string {
  return `${fixed(count, 0)} B`;
}
