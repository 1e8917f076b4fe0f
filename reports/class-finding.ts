import type { ClassResult } from '../sim/run/result.ts';
import { Bounds, type WrittenClass, writtenClasses } from './bounds.ts';
import { mappingOf, textOf } from './document.ts';
import { formatDifference, formatNumber, formatQuantity, listWords } from './format.ts';
import { cleanText, clipText } from './html.ts';
import type { ReadPoint } from './reading.ts';
import type { About } from './why.ts';

/** A class of a hop as configured and as it fared. */
export interface JudgedClass {
  readonly name: string;
  readonly depth: number;
  readonly figures: ClassResult;
  readonly written: WrittenClass | undefined;
  readonly children: readonly string[];
  /** Whether it had packets waiting nearly all the time; undefined where the result does not tell. */
  readonly hungry: boolean | undefined;
}

/** What is remarkable about the classes of a hop: the worst of it. */
export interface ClassFinding {
  readonly title: string;
  /** Percent beyond what the class is entitled to, up or down; 0 where all have that. */
  readonly strayPercent: number;
  readonly reason?: string;
  readonly about?: About;
}

/** Misses below this are no finding (percent). */
const LEAST_PERCENT = 0.5;
/** A class that has packets waiting in this share of the time is hungry. */
const HUNGRY_SHARE = 0.8;
const FULL = 0.98;
const DEPTH_LIMIT = 10;
const CHILDREN_NAMED = 6;

/** The classes of a hop as a tree, parents before children. */
export function judgedClasses({ point, document }: ReadPoint, hopName: string): JudgedClass[] {
  const classes = point.hops[hopName]?.classes ?? {};
  const hop = mappingOf(mappingOf(document.hops)[hopName]);
  const written = writtenClasses(hop);
  const bursty = burstyClasses(document, hopName);
  const childrenOf = new Map<string, string[]>();
  const roots: string[] = [];
  for (const [name, { parent }] of Object.entries(classes)) {
    const above = parent ?? written.get(name)?.parent;
    if (above === undefined || !(above in classes)) roots.push(name);
    else childrenOf.set(above, [...(childrenOf.get(above) ?? []), name]);
  }
  const result: JudgedClass[] = [];
  const visit = (name: string, depth: number): void => {
    const children = childrenOf.get(name) ?? [];
    const figures = classes[name] as ClassResult;
    result.push({
      name,
      depth,
      figures,
      written: written.get(name),
      children,
      hungry: isHungry(figures, point.warmupSeconds) ?? (bursty.has(name) ? undefined : waits(figures)),
    });
    if (depth <= DEPTH_LIMIT) for (const child of children) visit(child, depth + 1);
  };
  for (const name of roots) visit(name, 0);
  return result;
}

/** Classes that take a flow which comes in bursts, or which is not known: what waits at the end says little. */
function burstyClasses(document: ReadPoint['document'], hop: string): ReadonlySet<string> {
  const bounds = new Bounds(document);
  const names = new Set<string>();
  for (const [flow, spec] of Object.entries(mappingOf(document.flows))) {
    const name = bounds.classOf(flow, hop);
    const steady = /^(?:cbr|poisson)$/.test(textOf(mappingOf(spec).source) ?? '');
    if (name !== undefined && !steady) names.add(name);
  }
  return names;
}

function isHungry({ series }: ClassResult, warmupSeconds: number): boolean | undefined {
  const backlog = series?.backlogBytes;
  if (backlog === undefined || backlog.min.length === 0) return undefined;
  const first = Math.ceil((warmupSeconds - backlog.startSeconds) / backlog.stepSeconds);
  const later = backlog.min.slice(Math.max(0, Math.min(first, backlog.min.length - 1)));
  return later.filter((bytes) => bytes > 0).length >= HUNGRY_SHARE * later.length;
}

function waits({ backlogPackets, droppedPackets }: ClassResult): boolean {
  return backlogPackets > 0 && droppedPackets > 0;
}

/** A counter of tc's. */
export function counterOf(figures: ClassResult, name: string): number | undefined {
  const value = figures[name];
  return typeof value === 'number' ? value : undefined;
}

/** What to say of the classes of a hop: who gets more than its ceil, who less than its rate, who borrows most. */
export function classFinding(read: ReadPoint, hopName: string, tree: readonly JudgedClass[]): ClassFinding {
  const rated = tree.filter(({ written, figures }) => (written?.rate ?? 0) > 0 && figures.bitsPerSecond > 0);
  const above = rated.map((c) => ({ c, percent: beyond(c.figures.bitsPerSecond, ceilOf(c)) }));
  const busy = (read.point.hops[hopName]?.link.busyFraction ?? 0) >= FULL;
  const below = busy
    ? []
    : rated
        .filter(({ children, hungry }) => children.length === 0 && hungry === true)
        .map((c) => ({ c, percent: Math.min(0, beyond(c.figures.bitsPerSecond, c.written?.rate ?? 0)) }));
  const worst = [
    ...above.filter(({ percent }) => percent > LEAST_PERCENT),
    ...below.filter(({ percent }) => percent < -LEAST_PERCENT),
  ]
    .sort((a, b) => Math.abs(b.percent) - Math.abs(a.percent) || b.c.depth - a.c.depth)
    .at(0);
  if (worst !== undefined) return strayed(read, hopName, tree, worst.c, worst.percent);
  return regular(hopName, rated);
}

function ceilOf({ written }: JudgedClass): number {
  return Math.max(written?.ceil ?? 0, written?.rate ?? 0);
}

function labelOf({ name }: JudgedClass): string {
  return clipText(cleanText(name), 48);
}

function beyond(got: number, entitled: number): number {
  return 100 * (got / entitled - 1);
}

function rateText(bitsPerSecond: number): string {
  return formatQuantity(bitsPerSecond, 'rate', 4);
}

function strayed(
  read: ReadPoint,
  hopName: string,
  tree: readonly JudgedClass[],
  c: JudgedClass,
  percent: number,
): ClassFinding {
  const { written, figures } = c;
  const got = figures.bitsPerSecond;
  const ceil = ceilOf(c);
  const isCeil = percent > 0 && ceil !== written?.rate;
  const what = `${isCeil ? 'ceil' : 'rate'} of ${rateText(percent > 0 ? ceil : (written?.rate ?? 0))}`;
  const children = tree.filter((other) => c.children.includes(other.name));
  const reason = percent > 0 && children.length > 0 ? childrenWords(c, children) : undefined;
  return {
    title: `Class ${labelOf(c)} ${children.length > 0 ? 'lets' : 'got'} ${rateText(got)}${children.length > 0 ? ' through' : ''}, ${formatDifference(percent)} than its ${what}`,
    strayPercent: percent,
    ...(reason === undefined ? {} : { reason }),
    about: {
      result: read.resultIndex,
      point: read.pointIndex,
      subjects: [`class ${c.name} of ${hopName}`],
      bitsPerSecond: got,
      accountedBitsPerSecond: got,
      deviationPercent: percent,
      known: knownOf(c),
    },
  };
}

/** How children come to send more than their parent may: what they are guaranteed, they send without asking it. */
function childrenWords(parent: JudgedClass, children: readonly JudgedClass[]): string {
  const guaranteed = children.reduce((sum, { written }) => sum + (written?.rate ?? 0), 0);
  const named = children.slice(0, CHILDREN_NAMED);
  const more = children.length > named.length ? [`${children.length - named.length} more`] : [];
  const names = listWords([...named.map(labelOf), ...more]);
  const got = listWords([...named.map(({ figures }) => rateText(figures.bitsPerSecond)), ...more]);
  return guaranteed > ceilOf(parent)
    ? `Its children ${names} are guaranteed ${rateText(guaranteed)} together, more than the ${rateText(ceilOf(parent))} of ${labelOf(parent)}. What a class sends within its own rate it sends without asking its parent: ${got}.`
    : `Its children ${names} send ${got}. What a class sends within its own rate it sends without asking its parent, and packets may cost less than they should.`;
}

function knownOf({ figures, written }: JudgedClass): string {
  const [own, borrowed] = [counterOf(figures, 'lended') ?? 0, counterOf(figures, 'borrowed') ?? 0];
  const words = [
    borrowed > 0
      ? `It paid for ${formatNumber(own, 15)} packets out of its own rate and borrowed for ${formatNumber(borrowed, 15)} more.`
      : own > 0
        ? `It paid for all ${formatNumber(own, 15)} packets out of its own rate${written?.rate === undefined ? '' : ` of ${rateText(written.rate)}`} and borrowed none.`
        : '',
    figures.droppedPackets > 0 ? `${formatNumber(figures.droppedPackets, 15)} packets did not fit into its queue.` : '',
  ];
  return words.filter((text) => text !== '').join(' ');
}

/** The title where every class has what it is entitled to: the one that borrows most, or the one that leaves most. */
function regular(hopName: string, rated: readonly JudgedClass[]): ClassFinding {
  const leaves = rated.filter(({ children }) => children.length === 0);
  if (leaves.length === 0) return { title: `Classes of ${hopName}: nothing was sent through a leaf`, strayPercent: 0 };
  const percentOf = (c: JudgedClass): number => beyond(c.figures.bitsPerSecond, c.written?.rate ?? 0);
  const [most] = [...leaves].sort((a, b) => percentOf(b) - percentOf(a)) as [JudgedClass, ...JudgedClass[]];
  const got = rateText(most.figures.bitsPerSecond);
  const [own, borrowed] = [counterOf(most.figures, 'lended') ?? 0, counterOf(most.figures, 'borrowed') ?? 0];
  if (percentOf(most) > LEAST_PERCENT) {
    const rate = rateText(most.written?.rate ?? 0);
    const title = `Class ${labelOf(most)} got ${got}, ${formatDifference(percentOf(most))} than its rate of ${rate}`;
    if (borrowed === 0) return { title, strayPercent: percentOf(most) };
    return {
      title: `${title}, by borrowing`,
      strayPercent: 0,
      reason: `${labelOf(most)} paid for ${formatNumber(own, 15)} packets out of its own rate; for ${formatNumber(borrowed, 15)} more it borrowed what the classes above it had left.`,
    };
  }
  const sated = leaves.filter((c) => c.hungry !== true && percentOf(c) < -LEAST_PERCENT);
  if (sated.length === 0) {
    return { title: `Every class of ${hopName} got its rate; ${labelOf(most)} sent ${got}`, strayPercent: 0 };
  }
  const [least] = [...sated].sort((a, b) => percentOf(a) - percentOf(b)) as [JudgedClass, ...JudgedClass[]];
  const sent = rateText(least.figures.bitsPerSecond);
  return {
    title:
      sated.length === leaves.length
        ? `No class of ${hopName} was offered as much as its rate; ${labelOf(least)} sent ${sent} of ${rateText(least.written?.rate ?? 0)}`
        : `Every class of ${hopName} that asked for its rate got it; ${labelOf(least)} asked for no more than ${sent} of ${rateText(least.written?.rate ?? 0)}`,
    strayPercent: 0,
    reason: `No packets wait in ${labelOf(least)} most of the time: what is offered to it is less than its rate, and all of it leaves.`,
  };
}
