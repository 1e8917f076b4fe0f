import {
  type BucketFigures,
  type ClassFigures,
  classFigures,
  type HtbClassValues,
  type HtbValues,
  htbRules,
} from '../../models/linux/htb/class-figures.ts';
import {
  type BucketName,
  burstSteps,
  type CostSteps,
  costSteps,
  htbNotes,
  lateRateBitsPerSecond,
} from '../../models/linux/htb/explain.ts';
import { HIGH_RESOLUTION_HZ } from '../../models/linux/tc.ts';
import type { HopSpec } from '../scenario/scenario.ts';
import { microseconds, type Pricing, priceLines, rateLines, ticksRule } from './explain-price.ts';
import type { Explanation, ExplanationLine, ExplanationSection } from './explanation.ts';
import { deviation, figure, fixed } from './figures.ts';

/** Explains a class of HTB for packets of the given sizes (bytes). */
export function explainHtbClass(
  hop: HopSpec,
  values: HtbValues,
  name: string,
  sizesBytes: readonly number[],
): Explanation {
  const given = values.classes[name]!;
  const figures = classFigures(values, name);
  const ceil = given.ceil ?? given.rate;
  const sections: ExplanationSection[] = [
    { title: 'rate and burst', lines: bucketLines(values, figures, given, 'rate', given.rate) },
  ];
  if (ceil !== given.rate || figures.ceil.burstBytes !== figures.rate.burstBytes) {
    sections.push({ title: 'ceil and cburst', lines: bucketLines(values, figures, given, 'ceil', ceil) });
  }
  const leaf = Object.values(values.classes).every(({ parent }) => parent !== figures.id);
  if (leaf) sections.push({ title: 'turn among its siblings', lines: [quantumLine(values, figures)] });
  const atRate = sizesBytes.map((sizeBytes) => costSteps(values, name, 'rate', sizeBytes));
  for (const steps of atRate) {
    const title = `packets of ${fixed(steps.sizeBytes, 0)} B`;
    sections.push({ title, lines: sizeLines(hop, values, figures, figures.rate, steps, given.rate) });
    if (ceil === given.rate || figures.parentId === 0) continue;
    const onLoan = costSteps(values, name, 'ceil', steps.sizeBytes);
    sections.push({
      title: `${title} on loan, up to the ceil of ${figure(ceil, 'rate')}`,
      lines: sizeLines(hop, values, figures, figures.ceil, onLoan, ceil),
    });
  }
  const conclusion = conclude(hop, given.rate, atRate);
  return {
    subject: `class ${name} of ${hop.name}`,
    ...(conclusion === undefined ? {} : { conclusion }),
    sections,
    warnings: [
      ...htbNotes(values).flatMap(({ path, text }) => (path[1] === name ? [`${path[2]}: ${text}`] : [])),
      ...(leaf ? latenessWarnings(hop, values, name, atRate) : []),
    ],
  };
}

/** What holds for an HTB as a whole. */
export function htbRemarks(values: HtbValues): string[] {
  return htbNotes(values).flatMap(({ path, text }) => (path.length === 1 ? [text] : []));
}

function bucketLines(
  values: HtbValues,
  figures: ClassFigures,
  given: HtbClassValues,
  name: BucketName,
  bitsPerSecond: number,
): ExplanationLine[] {
  const { kernel, tc } = htbRules(values);
  const { bytesPerSecond } = figures[name];
  const steps = burstSteps(values, figures.name, name);
  const burstName = name === 'rate' ? 'burst' : 'cburst';
  const hz = values.hz === undefined || values.hz === HIGH_RESOLUTION_HZ ? '10^9 (high-resolution timers)' : values.hz;
  return [
    {
      label: name,
      value: `${fixed(bytesPerSecond, 0)} bytes/s`,
      rule: `${fixed(bitsPerSecond, 0)} bit/s / 8${bitsPerSecond % 8 === 0 ? '' : ', cut to whole bytes'}`,
    },
    {
      label: burstName,
      value: `${fixed(steps.burstBytes, 0)} B`,
      rule: steps.defaulted ? `default of tc: ${name} / HZ ${hz} + mtu ${given.mtu} B` : 'as configured',
    },
    {
      label: 'tc sends',
      value: `${fixed(steps.netlinkTicks, 0)} ticks`,
      rule: ticksRule(steps.burstBytes, bytesPerSecond, steps, steps.netlinkTicks, steps.netlinkTickNs),
    },
    { label: 'tc shows', value: `${burstName} ${steps.shown}`, rule: `the ticks back in bytes; tc ${tc.version}` },
    {
      label: 'kernel keeps',
      value: `${fixed(Math.floor(steps.keptBytes), 0)} B`,
      rule: `${microseconds(steps.bufferNs / 1000)} at the ${name}; kernel ${kernel.version}`,
    },
  ];
}

function quantumLine(values: HtbValues, figures: ClassFigures): ExplanationLine {
  const computed = `rate / r2q ${values.r2q} = ${fixed(Math.floor(figures.rate.bytesPerSecond / values.r2q), 0)}`;
  const rules = {
    given: 'as configured',
    r2q: computed,
    raised: `${computed}, raised to the least that is allowed`,
    lowered: `${computed}, lowered to the most that is allowed`,
  };
  return {
    label: 'quantum',
    value: `${fixed(figures.quantumBytes, 0)} B, priority ${figures.priority}`,
    rule: rules[figures.quantumRule],
  };
}

function sizeLines(
  hop: HopSpec,
  values: HtbValues,
  figures: ClassFigures,
  { table }: BucketFigures,
  steps: CostSteps,
  bitsPerSecond: number,
): ExplanationLine[] {
  const rules: Pricing = { ...htbRules(values), framing: figures.kernelFraming };
  const cells = table === undefined ? {} : { cellBytes: 2 ** table.cellLog, cellAlignBytes: table.cellAlignBytes };
  return [
    ...priceLines(steps, { ...rules, ...cells }),
    ...rateLines(steps.costNs, steps.sizeBytes, bitsPerSecond, hop.link),
  ];
}

/** The size that strays farthest from the configured rate, in a sentence. */
function conclude(hop: HopSpec, rateBitsPerSecond: number, prices: readonly CostSteps[]): string | undefined {
  const stray = ({ costNs, bitsPerSecond }: CostSteps): number =>
    costNs === 0 ? Number.POSITIVE_INFINITY : Math.abs(bitsPerSecond / rateBitsPerSecond - 1);
  const farthest = prices.toSorted((a, b) => stray(b) - stray(a))[0];
  if (farthest === undefined) return undefined;
  const { sizeBytes, costNs, bitsPerSecond, packetsPerSecond } = farthest;
  if (costNs === 0) return `Packets of ${sizeBytes} B cost less than a tick: the class does not hold them back.`;
  const framed = packetsPerSecond * (sizeBytes + hop.link.fcsBytes) * 8;
  return (
    `Packets of ${sizeBytes} B leave at ${figure(bitsPerSecond, 'rate')} by the class's own rate of ` +
    `${figure(rateBitsPerSecond, 'rate')} (${deviation(100 * (bitsPerSecond / rateBitsPerSecond - 1))}); ` +
    `an analyser shows ${figure(framed, 'rate')}.`
  );
}

/** What a timer that is late costs. */
function latenessWarnings(hop: HopSpec, values: HtbValues, name: string, prices: readonly CostSteps[]): string[] {
  const lateNs = hop.timer.latencyNs + hop.timer.resolutionNs - 1;
  const { bufferNs } = burstSteps(values, name, 'rate');
  if (lateNs <= bufferNs) return [];
  return prices
    .filter(({ costNs }) => costNs > 0)
    .map((steps) => {
      const left = figure(lateRateBitsPerSecond(steps, bufferNs, lateNs), 'rate');
      return (
        `timer: it may fire ${microseconds(lateNs / 1000)} late, the bucket holds ${microseconds(bufferNs / 1000)}: what ` +
        `the class misses is lost, down to ${left} for packets of ${steps.sizeBytes} B; a larger burst keeps the rate`
      );
    });
}
