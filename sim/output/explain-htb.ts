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
  type HtbNote,
  htbNotes,
  lateRateBitsPerSecond,
} from '../../models/linux/htb/explain.ts';
import { HIGH_RESOLUTION_HZ } from '../../models/linux/tc.ts';
import type { HopSpec } from '../scenario/scenario.ts';
import type { HopClasses, NamedClass } from './class-of-flow.ts';
import { concludeClass, type PricedPacket, predictClass } from './explain-conclusion.ts';
import { microseconds, type Pricing, priceLines, rateLines, ticksRule } from './explain-price.ts';
import { chargedBytes, type ExplainedPacket, lengthLines, packetTitle } from './explained-packet.ts';
import type { Explanation, ExplanationLine, ExplanationSection } from './explanation.ts';
import { figure, fixed } from './figures.ts';

/**
 * Explains every class of an HTB, and what is remarkable about it as a whole.
 *
 * @param hopClasses the classes of the hop
 * @param packetsOf packets to explain for a class
 */
export function explainHtb(
  hop: HopSpec,
  values: HtbValues,
  hopClasses: HopClasses,
  packetsOf: (className: string) => readonly ExplainedPacket[],
): Explanation[] {
  const parents = new Set(Object.values(values.classes).map(({ parent }) => parent));
  const notes = new Map<string, HtbNote[]>(Object.keys(values.classes).map((name) => [name, []]));
  const remarks: string[] = [];
  for (const note of htbNotes(values)) {
    if (note.path.length === 1) remarks.push(note.text);
    else notes.get(note.path[1]!)!.push(note);
  }
  const classes = Object.keys(values.classes).map((name) =>
    explainClass(hop, values, name, {
      packets: packetsOf(name),
      parents,
      notes: notes.get(name)!,
      line: hopClasses.lineOfClass(name),
    }),
  );
  const whole = { subject: `htb of ${hop.name}`, sections: [], warnings: remarks };
  return remarks.length === 0 ? classes : [...classes, whole];
}

interface ClassContext {
  readonly packets: readonly ExplainedPacket[];
  /** Ids of all classes with children. */
  readonly parents: ReadonlySet<number | undefined>;
  /** Of this class. */
  readonly notes: readonly HtbNote[];
  /** The class and all that lend to it. */
  readonly line: readonly NamedClass[];
}

function explainClass(
  hop: HopSpec,
  values: HtbValues,
  name: string,
  { packets, parents, notes, line }: ClassContext,
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
  const leaf = !parents.has(figures.id);
  if (leaf) sections.push({ title: 'turn among its siblings', lines: [quantumLine(values, figures)] });
  const { kernel } = htbRules(values);
  const priced = (bucket: BucketName): PricedPacket<CostSteps>[] =>
    packets.map((packet) => ({ packet, steps: costSteps(values, name, bucket, chargedBytes(packet, kernel)) }));
  const [atRate, onLoan] = [priced('rate'), priced('ceil')];
  for (const [i, { packet, steps }] of atRate.entries()) {
    const title = packetTitle(packet);
    const context = { hop, values, figures, packet };
    sections.push({ title, lines: sizeLines(context, figures.rate, steps, given.rate) });
    if (ceil === given.rate || figures.parentId === 0) continue;
    sections.push({
      title: `${title}${ceil > given.rate ? ' on loan,' : ','} up to the ceil of ${figure(ceil, 'rate')}`,
      lines: sizeLines(context, figures.ceil, onLoan[i]!.steps, ceil),
    });
  }
  const conclusion = concludeClass(hop, line, ceil < given.rate ? onLoan : atRate);
  return {
    subject: `class ${name} of ${hop.name}`,
    ...(conclusion === undefined ? {} : { conclusion }),
    predictions: predictClass(hop, line[0]!.values, atRate, onLoan),
    sections,
    warnings: [
      ...notes.map(({ path, text }) => `${path[2]}: ${text}`),
      ...(leaf
        ? latenessWarnings(
            hop,
            values,
            name,
            atRate.map(({ steps }) => steps),
          )
        : []),
    ],
  };
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

/** Whose steps are explained. */
interface SizeContext {
  readonly hop: HopSpec;
  readonly values: HtbValues;
  readonly figures: ClassFigures;
  readonly packet: ExplainedPacket;
}

function sizeLines(
  { hop, values, figures, packet }: SizeContext,
  { table }: BucketFigures,
  steps: CostSteps,
  bitsPerSecond: number,
): ExplanationLine[] {
  const rules: Pricing = { ...htbRules(values), framing: figures.kernelFraming };
  const cells = table === undefined ? {} : { cellBytes: 2 ** table.cellLog, cellAlignBytes: table.cellAlignBytes };
  return [
    ...lengthLines(packet, rules.kernel),
    ...priceLines(steps, { ...rules, ...cells }),
    ...rateLines(steps.costNs, packet, bitsPerSecond, hop.link),
  ];
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
