import type { PointResult } from '../sim/run/result.ts';
import { type Mapping, mappingOf, resolveDocument, textOf } from './document.ts';
import { rateOfText, sizeOfText } from './quantity.ts';
import type { ChartSource } from './reading.ts';
import { valuesOf } from './variables.ts';

/** A value of the scenario that the reader may change. */
export interface Knob {
  readonly label: string;
  /** Where it stands in `document`. */
  readonly path: readonly string[];
  readonly value: string;
  readonly kind: 'rate' | 'size' | 'text';
  /** Values that are worth a try. */
  readonly suggestions: readonly string[];
}

/** What the page is told of the run that it can repeat. */
export interface WhatIfData {
  /** The scenario of that run, without variables but those that tell the runs apart. */
  readonly document: Mapping;
  readonly knobs: readonly Knob[];
  /** The rates that the page speaks of: flow to level. */
  readonly levels: Readonly<Record<string, string>>;
  readonly configured: Readonly<Record<string, number | null>>;
  /** Figures of that run as reported. */
  readonly reported: Pick<PointResult, 'flows'>;
}

const KNOB_LIMIT = 16;
/** Lists of values that are longer are no help. */
const SUGGESTIONS = 30;
const KERNELS = ['2.6.22', '2.6.25', '2.6.31', '3.4', '3.10', '4.9', '6.12'];
const CURLS = ['7.88.1', '8.6.0', '8.17.0', '8.18.0', '8.19.0', '8.20.0', '8.21.0', 'pr19384'];

function knobOf(label: string, path: readonly string[], value: string, suggestions: readonly string[]): Knob {
  const last = path.at(-1) ?? '';
  const kind =
    /rate|ceil/.test(last) && rateOfText(value) !== undefined
      ? 'rate'
      : /size|burst|limit/i.test(last) && sizeOfText(value) !== undefined
        ? 'size'
        : 'text';
  return { label, path, value, kind, suggestions };
}

/** The variables that tell the runs apart, as the run that the page looks at has them. */
function sweptKnobs({ points, varying }: ChartSource, variables: Readonly<Record<string, string>>): Knob[] {
  return varying.flatMap((name) => {
    const value = variables[name];
    const values = valuesOf(points, name);
    return value === undefined ? [] : [knobOf(name, ['vars', name], value, values.length <= SUGGESTIONS ? values : [])];
  });
}

/** What can be changed: the swept variables first, then what hops, classes and flows set. */
function knobsOf(document: Mapping, swept: readonly Knob[]): Knob[] {
  const knobs: Knob[] = [];
  const add = (label: string, path: readonly string[], value: unknown, suggestions: readonly string[] = []): void => {
    const text = textOf(value);
    // What a swept variable sets is changed by that.
    if (text !== undefined && !text.includes('${')) knobs.push(knobOf(label, path, text, suggestions));
  };
  const hops = Object.entries(mappingOf(document.hops));
  const flows = Object.entries(mappingOf(document.flows));
  const used = new Set(flows.map(([, flow]) => textOf(mappingOf(flow).class)));
  for (const [name, hop] of hops) {
    const written = mappingOf(hop);
    const link = mappingOf(written.link);
    add(`Kernel of ${name}`, ['hops', name, 'kernel'], written.kernel, KERNELS);
    add(`Rate of ${name}`, ['hops', name, 'rate'], written.rate);
    add(`Burst of ${name}`, ['hops', name, 'burst'], written.burst);
    add(`Link rate of ${name}`, ['hops', name, 'link', 'rate'], link.rate);
    add(`Link delay of ${name}`, ['hops', name, 'link', 'delay'], link.delay);
    add(`Link queue of ${name}`, ['hops', name, 'link', 'queue'], link.queue);
  }
  for (const [name, hop] of hops) {
    const written = mappingOf(hop);
    for (const [className, c] of Object.entries(mappingOf(written.classes))) {
      if (!used.has(className) && className !== textOf(written.default)) continue;
      const leaf = mappingOf(c);
      add(`Rate of class ${className}`, ['hops', name, 'classes', className, 'rate'], leaf.rate);
      add(`Ceil of class ${className}`, ['hops', name, 'classes', className, 'ceil'], leaf.ceil);
      add(`Burst of class ${className}`, ['hops', name, 'classes', className, 'burst'], leaf.burst ?? '');
    }
  }
  for (const [name, flow] of flows) {
    const written = mappingOf(flow);
    const curl = textOf(written.source) === 'curl';
    add(curl ? `File size of ${name}` : `Packet size of ${name}`, ['flows', name, 'size'], written.size);
    add(
      curl ? `Limit of ${name}` : `Sending rate of ${name}`,
      ['flows', name, curl ? 'limit' : 'rate'],
      curl ? written.limit : written.rate,
    );
    if (curl) add(`curl version of ${name}`, ['flows', name, 'version'], written.version, CURLS);
  }
  return [...swept, ...knobs.slice(0, Math.max(0, KNOB_LIMIT - swept.length))];
}

/** Files that the packets or links of the run come from that the page looks at: a page does not have them. */
export function filesNamed({ look }: ChartSource): string[] {
  if (look === undefined) return [];
  const document = resolveDocument(look.result.scenario.document, look.point.variables);
  const flows = Object.values(mappingOf(document.flows)).map(mappingOf);
  const captures = flows.filter(({ source }) => source === 'trace').map(({ file }) => textOf(file));
  const links = Object.values(mappingOf(document.hops)).map((hop) => mappingOf(mappingOf(hop).link).trace);
  const names = [...captures, ...links].filter((name) => typeof name === 'string');
  return [...new Set(names)];
}

/** Prepares the run that the page looks at for being changed; undefined where nothing can be changed. */
export function whatIfData(source: ChartSource): WhatIfData | undefined {
  const look = source.look;
  if (look === undefined) return undefined;
  const { variables } = look.point;
  const swept = sweptKnobs(source, variables);
  const open = Object.fromEntries(swept.map(({ label }) => [label, `\${${label}}`]));
  const resolved = resolveDocument(look.result.scenario.document, { ...variables, ...open });
  const vars = Object.fromEntries(swept.map(({ label, value }) => [label, value]));
  const document = swept.length === 0 ? resolved : { vars, ...resolved };
  const knobs = knobsOf(document, swept);
  if (knobs.length === 0) return undefined;
  const flows = Object.fromEntries(
    Object.entries(look.point.flows).map(([name, { series: _, transfers: __, ...figures }]) => [name, figures]),
  );
  return {
    document,
    knobs,
    levels: Object.fromEntries(look.readings.map((r) => [r.flow, r.level])),
    configured: Object.fromEntries(look.readings.map((r) => [r.flow, r.configuredBitsPerSecond ?? null])),
    reported: { flows },
  };
}
