import type { Explanation, Prediction } from './explanation.ts';
import { formatNumber, formatQuantity } from './format.ts';

/** What a finding is about: whatever is said to be its reason must be about the same. */
export interface About {
  readonly result: number;
  readonly point: number;
  /** Subjects of the explanations that may hold its reason, the likeliest first: `class 1:10 of home`, `flow f`. */
  readonly subjects: readonly string[];
  /** The figure of the finding, and the same as tc counts packets. */
  readonly bitsPerSecond: number;
  readonly accountedBitsPerSecond: number;
  /** Against what is configured; undefined where it is entitled to less. */
  readonly deviationPercent: number | undefined;
  /** What is known without arithmetic. */
  readonly known: string;
}

/** How far a prediction may be off to be the reason, and to be a part of it (shares). */
const EXACT = 0.01;
const PARTLY = 0.25;

/** The explanation that is about a finding, the first that has a cause or a prediction that comes true. */
export function explanationOf(about: About, explanations: readonly Explanation[]): Explanation | undefined {
  const fitting = subjectOrder(about, explanations);
  return fitting.find((explanation) => arithmeticOf(about, explanation) !== undefined) ?? fitting[0];
}

/** Why it comes out so: the arithmetic where it comes to the same figure, else what is known. */
export function whyOf(about: About, explanations: readonly Explanation[]): string {
  for (const explanation of subjectOrder(about, explanations)) {
    const words = arithmeticOf(about, explanation);
    if (words !== undefined) return words;
  }
  return about.known;
}

function subjectOrder(about: About, explanations: readonly Explanation[]): Explanation[] {
  const near = explanations.filter(({ result, point }) => result === about.result && point === about.point);
  return about.subjects.flatMap((subject) =>
    near.filter((explanation) => explanation.subject === subject || explanation.subject.startsWith(`${subject}:`)),
  );
}

function arithmeticOf(about: About, explanation: Explanation): string | undefined {
  const { cause, causePercent, predictions = [] } = explanation;
  const { deviationPercent } = about;
  if (cause !== undefined && causePercent !== undefined && deviationPercent !== undefined) {
    if (deviationPercent >= causePercent[0] && deviationPercent < causePercent[1]) return cause;
  }
  const off = ({ bitsPerSecond, level }: Prediction): number =>
    Math.abs(bitsPerSecond / (level === 'transfer' ? about.bitsPerSecond : about.accountedBitsPerSecond) - 1);
  const best = predictions.reduce<Prediction | undefined>(
    (a, b) => (a === undefined || off(b) < off(a) ? b : a),
    undefined,
  );
  if (best === undefined) return undefined;
  if (off(best) <= EXACT) return `${priceWords(explanation, best)}${best.words}`;
  const mixed = mixWords(about, predictions);
  if (mixed !== undefined) return mixed;
  return best.level === 'transfer' && off(best) <= PARTLY
    ? `${best.words} By that alone it were ${formatQuantity(best.bitsPerSecond, 'rate', 4)}; connecting, and what is under way, make the difference.`
    : undefined;
}

/** What a packet of a prediction is charged, in a sentence; empty where the explanation does not tell. */
function priceWords({ sections }: Explanation, { sizeBytes, onLoan }: Prediction): string {
  if (sizeBytes === undefined) return '';
  const section = sections.find(
    ({ title }) =>
      title.startsWith(`packets of ${formatNumber(sizeBytes, 15)} B`) && /\bceil\b/.test(title) === (onLoan ?? false),
  );
  const price = section?.lines.find(({ label }) => label === 'price');
  return price === undefined ? '' : `After rounding, a packet is charged ${price.value} (${price.rule}). `;
}

/** What packets of several sizes come to, where the figure lies between the least and the most of it. */
function mixWords({ accountedBitsPerSecond }: About, predictions: readonly Prediction[]): string | undefined {
  for (const onLoan of [false, true]) {
    const sizes = predictions.filter((p) => p.sizeBytes !== undefined && p.onLoan === onLoan);
    const ordered = [...sizes].sort((a, b) => a.bitsPerSecond - b.bitsPerSecond);
    const [least, most] = [ordered[0], ordered.at(-1)];
    if (least === undefined || most === undefined || least === most) continue;
    if (accountedBitsPerSecond < least.bitsPerSecond || accountedBitsPerSecond > most.bitsPerSecond) continue;
    const words = [most, least].map(
      (p) => `packets of ${p.sizeBytes} B come to ${formatQuantity(p.bitsPerSecond, 'rate', 4)}`,
    );
    return `${onLoan ? 'On loan, up to the ceil' : 'By the rate'} and after rounding, ${words.join(', ')}: a mix of sizes lies between.`;
  }
  return undefined;
}
