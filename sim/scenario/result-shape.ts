import type { ModelDeclaration } from '../../models/model.ts';

/** What a figure of a result is; rates in bit/s, durations in s; `any`: whatever it is, and whatever stands below. */
export type FigureKind = 'rate' | 'size' | 'duration' | 'percent' | 'number' | 'text' | 'boolean' | 'any';

/** A part of a result: a figure, parts by name, or parts by names that are only known after the run. */
export type Shape = FigureKind | { readonly parts: Readonly<Record<string, Shape>> } | { readonly each: Shape };

const LEVELS: Shape = {
  parts: { offered: 'rate', goodput: 'rate', accounted: 'rate', frame: 'rate', wire: 'rate' },
};

const DELAYS: Shape = {
  parts: { min: 'duration', mean: 'duration', p50: 'duration', p95: 'duration', p99: 'duration', max: 'duration' },
};

const TRANSFER: Shape = {
  parts: {
    bytes: 'size',
    seconds: 'duration',
    bitsPerSecond: 'rate',
    limitBitsPerSecond: 'rate',
    deviationPercent: 'percent',
    completed: 'boolean',
  },
};

const LINK: Shape = {
  parts: { busyFraction: 'number', sentPackets: 'number', droppedPackets: 'number', lostPackets: 'number' },
};

/** Of a class of any shaper, beside the counters that its declaration names. */
const CLASS_PARTS: Readonly<Record<string, Shape>> = {
  parent: 'text',
  level: 'number',
  sentPackets: 'number',
  sentBytes: 'size',
  droppedPackets: 'number',
  backlogPackets: 'number',
  mode: 'text',
  bitsPerSecond: 'rate',
  packetsPerSecond: 'number',
};

/** Figures of a point that belong to no flow or hop. */
export const POINT_PARTS: Readonly<Record<string, Shape>> = {
  durationSeconds: 'duration',
  warmupSeconds: 'duration',
  events: 'number',
};

/** The shape of a flow's figures; `source` is undefined for what flows of all sources have. */
export function flowShape(source: ModelDeclaration | undefined): Shape {
  return {
    parts: {
      sentPackets: 'number',
      sentBytes: 'size',
      droppedPackets: 'number',
      receivedPackets: 'number',
      receivedBytes: 'size',
      packetsPerSecond: 'number',
      bitsPerSecond: LEVELS,
      delaySeconds: DELAYS,
      transfer: TRANSFER,
      transfers: { each: TRANSFER },
      counters: countersShape(source),
    },
  };
}

/** The shape of a hop's figures; `shaper` is undefined for a hop that is a link only. */
export function hopShape(shaper: ModelDeclaration | undefined, classNames: Iterable<string>): Shape {
  const classes = [...classNames];
  const classShape: Shape = {
    parts: {
      ...CLASS_PARTS,
      ...Object.fromEntries(Object.keys(shaper?.counters ?? {}).map((name) => [name, 'number' as const])),
    },
  };
  const byName = Object.fromEntries([...classes, 'direct'].map((name) => [name, classShape]));
  const qdisc: Record<string, Shape> = {
    kind: 'text',
    counters: countersShape(shaper),
    classes: classes.length === 0 ? { each: classShape } : { parts: byName },
  };
  // A child has classes and children of its own; how deep, the result will tell.
  return { parts: { ...qdisc, children: { each: 'any' }, link: LINK } };
}

function countersShape(declaration: ModelDeclaration | undefined): Shape {
  const names = Object.keys(declaration?.counters ?? {});
  return names.length === 0
    ? { each: 'number' }
    : { parts: Object.fromEntries(names.map((name) => [name, 'number' as const])) };
}
