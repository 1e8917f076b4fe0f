import type { ModelDeclaration, Parameters, ReadBytes, Values } from '../../models/model.ts';
import { formatDuration } from '../units/duration.ts';
import { type ClassTable, classTableOf } from './class-table.ts';
import { classify, type FilterSpec } from './classify.ts';
import {
  ECN_CODEPOINTS,
  FLOW_PARAMETERS,
  LINK_PARAMETERS,
  PLAIN_HOP_PARAMETERS,
  SCENARIO_PARAMETERS,
  SCENARIO_SECTIONS,
  SHAPED_HOP_PARAMETERS,
  TIMER_PARAMETERS,
} from './common-parameters.ts';
import { ExpectationReader } from './expectation.ts';
import type { Finding } from './findings.ts';
import { priorityOf } from './flow-class.ts';
import { hopDevice } from './hop-device.ts';
import { flowHeader, hopFilters } from './hop-filters.ts';
import type { LinkTraces } from './link-trace.ts';
import { Memo } from './memo.ts';
import * as messages from './messages.ts';
import { nearestName } from './nearest.ts';
import type { Shape } from './result-shape.ts';
import type {
  DeviceSpec,
  ExpectationSpec,
  FilterValues,
  FlowSpec,
  HopSpec,
  LinkSpec,
  QueueLimit,
  Scenario,
} from './scenario.ts';
import { INVALID, isMapping, type ModelRegistry, ValueChecker } from './value-checker.ts';

/** A hop with what the checks of flows and expectations need to know of it. */
export interface CheckedHop {
  readonly spec: HopSpec;
  readonly declaration: ModelDeclaration | undefined;
  readonly classes: ClassTable | undefined;
  readonly filters: readonly FilterSpec[];
}

/** What is remembered of a hop or flow from the point before. */
interface Remembered<T> {
  readonly node: unknown;
  readonly hops: readonly (CheckedHop | undefined)[];
  readonly checked: T;
}

const EMPTY: Readonly<Record<string, unknown>> = {};
const TOP_KEYS = { ...SCENARIO_PARAMETERS, ...SCENARIO_SECTIONS };

/**
 * Checks documents whose variables are replaced, one for each point of a sweep: what is the same object as in the
 * point before is not checked again.
 */
export class ScenarioChecker {
  readonly #values: ValueChecker;
  readonly #traces: LinkTraces;
  readonly #expectations = new ExpectationReader();
  readonly #memo = new Memo();
  readonly #hops = new Map<string, Remembered<CheckedHop>>();
  /** Sources of the flows by name, known also where the flow has problems. */
  readonly #sources = new Map<string, ModelDeclaration | undefined>();
  readonly #flows = new Map<string, Remembered<FlowSpec>>();
  readonly #parameters = new Map<ModelDeclaration, Parameters>();

  constructor(registry: ModelRegistry, traces: LinkTraces, readBytes: ReadBytes | undefined) {
    this.#values = new ValueChecker(registry, readBytes);
    this.#traces = traces;
  }

  /** The checker of values, for the parts of a document that are no part of a point. */
  get values(): ValueChecker {
    return this.#values;
  }

  /** What figures the point checked last will have. */
  get shape(): Shape | undefined {
    return this.#expectations.shape;
  }

  /** Checks a document; the scenario is undefined if anything was found. */
  check(document: unknown): { scenario: Scenario | undefined; findings: readonly Finding[] } {
    this.#values.findings = [];
    const scenario = this.#check(document);
    const { findings } = this.#values;
    return { scenario: findings.length === 0 ? scenario : undefined, findings };
  }

  #check(document: unknown): Scenario | undefined {
    const values = this.#values;
    if (!isMapping(document)) {
      values.report(messages.wrongShape('a mapping with duration, hops and flows', document));
      return undefined;
    }
    values.checkKeys(document, TOP_KEYS);
    const top = values.checkEntries(document, SCENARIO_PARAMETERS, this.#memo);
    const hops = this.#section(document, 'hops', (name, node) => this.#hop(name, node));
    const flows = this.#section(document, 'flows', (name, node) => this.#flow(name, node, hops));
    const expect = this.#expect(document, hops);
    if (top === INVALID) return undefined;
    const durationNs = top.duration as number;
    const warmupNs = top.warmup as number;
    if (warmupNs >= durationNs) {
      values.report(messages.warmupTooLong(formatDuration(warmupNs), formatDuration(durationNs)), ['warmup']);
    }
    return {
      title: top.title as string,
      about: top.about as string,
      seed: top.seed as number,
      durationNs,
      warmupNs,
      clockStartNs: top.clockStart as number,
      hops: [...hops.values()].flatMap((hop) => (hop === undefined ? [] : [hop.spec])),
      flows: [...flows.values()].flatMap((flow) => (flow === undefined ? [] : [flow])),
      expect,
    };
  }

  /** Checks the members of a section by name; those with problems are known but undefined. */
  #section<T>(
    document: Readonly<Record<string, unknown>>,
    section: 'hops' | 'flows',
    check: (name: string, node: unknown) => T | undefined,
  ): ReadonlyMap<string, T | undefined> {
    const values = this.#values;
    const members = new Map<string, T | undefined>();
    if (!Object.hasOwn(document, section)) {
      values.report(messages.missingKey(section, SCENARIO_SECTIONS[section]), [section], 'key');
      return members;
    }
    return values.within(section, () => {
      const node = document[section];
      const what = section === 'hops' ? 'hop' : 'flow';
      const isEmpty = node === null || (isMapping(node) && Object.keys(node).length === 0);
      if (isEmpty) values.report(messages.emptyMapping(what), [], 'key');
      else if (!isMapping(node)) values.report(messages.wrongShape(`a mapping of ${section} by name`, node));
      for (const name of isMapping(node) ? Object.keys(node) : []) {
        const member = values.within(name, () => {
          const nameFits = values.checkName(name);
          const checked = check(name, (node as Readonly<Record<string, unknown>>)[name]);
          return nameFits ? checked : undefined;
        });
        members.set(name, member);
      }
      return members;
    });
  }

  #hop(name: string, node: unknown): CheckedHop | undefined {
    const last = this.#hops.get(name);
    if (last?.node === node) return last?.checked;
    const values = this.#values;
    if (!isMapping(node)) {
      values.report(messages.wrongShape('a mapping with shaper and link', node));
      return undefined;
    }
    const checked = Object.hasOwn(node, 'shaper') ? this.#shapedHop(name, node) : this.#plainHop(name, node);
    if (checked !== undefined) this.#hops.set(name, { node, hops: [], checked });
    return checked;
  }

  #plainHop(name: string, node: Readonly<Record<string, unknown>>): CheckedHop | undefined {
    const values = this.#values;
    const memo = this.#memo.child('hops').child(name);
    const strangers = Object.keys(node).filter((key) => !Object.hasOwn(PLAIN_HOP_PARAMETERS, key));
    for (const key of strangers) {
      values.report(messages.keyOfShaperMissing(key, nearestName(key, ['shaper', 'link'])), [key], 'key');
    }
    const checked = values.checkEntries(node, PLAIN_HOP_PARAMETERS, memo);
    if (checked === INVALID || strangers.length > 0) return undefined;
    const link = this.#link(checked);
    if (link === undefined) return undefined;
    const timer = { resolutionNs: 1, latencyNs: 0 };
    const device = this.#device(checked, undefined);
    if (device === INVALID) return undefined;
    return { spec: { name, ...device, timer, link }, declaration: undefined, classes: undefined, filters: [] };
  }

  #shapedHop(name: string, node: Readonly<Record<string, unknown>>): CheckedHop | undefined {
    const values = this.#values;
    const memo = this.#memo.child('hops').child(name);
    const declaration = values.findModel('shaper', node.shaper, ['shaper']);
    if (declaration === undefined) return undefined;
    const checked = values.checkMapping(node, this.#mergedParameters(declaration, SHAPED_HOP_PARAMETERS), memo);
    if (checked === INVALID) return undefined;
    const shaper = { kind: declaration.kind, values: pick(checked, declaration.parameters) };
    const isConsistent = values.checkModel(declaration, shaper.values, node);
    const link = this.#link(checked);
    if (link === undefined || !isConsistent) return undefined;
    const timerValues = checked.timer ?? values.checkMapping(EMPTY, TIMER_PARAMETERS, this.#memo.child('timer'));
    const { resolution, latency } = timerValues as { resolution: number; latency: number };
    const timer = { resolutionNs: resolution, latencyNs: latency };
    const classes = classTableOf(declaration, shaper);
    const found = values.findings.length;
    const given = checked.filters as readonly FilterValues[] | undefined;
    const filters = hopFilters(given ?? [], classes, (index, key, message) =>
      values.report(message, ['filters', String(index), key]),
    );
    const device = this.#device(checked, declaration.kind);
    if (values.findings.length > found || device === INVALID) return undefined;
    const spec = { name, ...device, shaper, ...(given === undefined ? {} : { filters: given }), timer, link };
    return { spec, declaration, classes, filters };
  }

  #device({ device }: Values, kind: string | undefined): { device?: DeviceSpec } | typeof INVALID {
    if (device === undefined) return {};
    const values = this.#values;
    const found = values.findings.length;
    const spec = hopDevice(device as string | DeviceSpec, kind, (path, message) =>
      values.report(message, ['device', ...path]),
    );
    return values.findings.length > found ? INVALID : { device: spec };
  }

  #link(hop: Values): LinkSpec | undefined {
    const values = this.#values;
    const link = (hop.link ?? values.checkMapping(EMPTY, LINK_PARAMETERS, this.#memo.child('link'))) as Values;
    const opportunitiesNs =
      link.trace === undefined
        ? undefined
        : values.within('link', () => values.within('trace', () => this.#traces.read(link.trace, values)));
    if (opportunitiesNs === INVALID) return undefined;
    if (opportunitiesNs !== undefined && link.rate !== 0) {
      values.within('link', () => values.report(messages.rateAndTrace(), ['rate'], 'key'));
      return undefined;
    }
    return {
      rateBitsPerSecond: link.rate as number,
      delayNs: link.delay as number,
      fcsBytes: link.fcs as number,
      overheadBytes: link.overhead as number,
      queue: link.queue as QueueLimit,
      loss: link.loss as number,
      drop: (link.drop ?? []) as readonly number[],
      ...(opportunitiesNs === undefined ? {} : { opportunitiesNs }),
    };
  }

  #flow(name: string, node: unknown, hops: ReadonlyMap<string, CheckedHop | undefined>): FlowSpec | undefined {
    const last = this.#flows.get(name);
    if (last?.node === node) {
      const via = last?.checked.via ?? [];
      if (last?.hops.every((hop, i) => hop === hops.get(via[i]!))) return last.checked;
    }
    const values = this.#values;
    this.#sources.set(name, undefined);
    if (!isMapping(node)) {
      values.report(messages.wrongShape('a mapping with source and via', node));
      return undefined;
    }
    if (!Object.hasOwn(node, 'source')) {
      values.report(messages.missingKey('source', FLOW_PARAMETERS.source.help), ['source'], 'key');
      return undefined;
    }
    const declaration = values.findModel('source', node.source, ['source']);
    this.#sources.set(name, declaration);
    if (declaration === undefined) return undefined;
    const memo = this.#memo.child('flows').child(name);
    const checked = values.checkMapping(node, this.#mergedParameters(declaration, FLOW_PARAMETERS), memo);
    const { via } = node;
    const pathFits = Array.isArray(via) && values.within('via', () => this.#via(via, hops));
    if (checked === INVALID) return undefined;
    const source = { kind: declaration.kind, values: pick(checked, declaration.parameters) };
    const isConsistent = values.checkModel(declaration, source.values, node);
    const path = checked.via as readonly string[];
    if (!pathFits || !isConsistent) return undefined;
    const crossed = path.map((hop) => hops.get(hop));
    const spec = this.#flowSpec(name, checked, source, declaration, crossed);
    if (spec === undefined) return undefined;
    this.#flows.set(name, { node, hops: crossed, checked: spec });
    return spec;
  }

  #via(via: readonly unknown[], hops: ReadonlyMap<string, unknown>): boolean {
    const values = this.#values;
    if (via.length === 0) {
      values.report(messages.emptyMapping('hop'));
      return false;
    }
    const names = [...hops.keys()];
    const before = values.findings.length;
    for (const [i, hop] of via.entries()) {
      if (typeof hop !== 'string') continue;
      if (!hops.has(hop)) values.report(messages.unknownHop(hop, names, nearestName(hop, names)), [String(i)]);
      else if (via.indexOf(hop) < i) values.report(messages.hopTwice(hop), [String(i)]);
    }
    return values.findings.length === before;
  }

  #flowSpec(
    name: string,
    checked: Values,
    source: FlowSpec['source'],
    declaration: ModelDeclaration,
    crossed: readonly (CheckedHop | undefined)[],
  ): FlowSpec | undefined {
    const values = this.#values;
    const startNs = checked.start as number;
    const stopNs = checked.stop as number | undefined;
    const className = checked.class as string | undefined;
    const ecn = checked.ecn === true ? 'ect0' : checked.ecn === false ? 'not-ect' : (checked.ecn as string);
    if (stopNs !== undefined && stopNs <= startNs) {
      values.report(messages.stopBeforeStart(formatDuration(stopNs), formatDuration(startNs)), ['stop']);
    }
    let priority = 0;
    // A hop with problems of its own has no list of classes to hold the flow's against.
    const complete = crossed.every((hop) => hop !== undefined);
    if (className !== undefined && complete) {
      const found = priorityOf(
        className,
        crossed.flatMap((hop) => hop?.classes ?? []),
      );
      if (typeof found === 'number') priority = found;
      else values.report(found, ['class']);
    }
    const header = flowHeader(checked, source, declaration, (key, message) => values.report(message, [key]));
    if (!complete) return undefined;
    const priorities =
      className === undefined && crossed.some((hop) => hop!.filters.length > 0)
        ? crossed.map((hop) => classify(hop!.filters, header))
        : undefined;
    return {
      name,
      source,
      via: checked.via as readonly string[],
      priority: priorities?.[0] ?? priority,
      ...(priorities === undefined ? {} : { priorities }),
      ...(className === undefined ? {} : { className }),
      headersBytes: checked.headers as number,
      startNs,
      ...(stopNs === undefined ? {} : { stopNs }),
      ...(checked.count === undefined ? {} : { count: checked.count as number }),
      ecn: ECN_CODEPOINTS[ecn]!,
      header,
    };
  }

  #expect(
    document: Readonly<Record<string, unknown>>,
    hops: ReadonlyMap<string, CheckedHop | undefined>,
  ): readonly ExpectationSpec[] {
    this.#expectations.prepare(hops, this.#sources);
    if (!Object.hasOwn(document, 'expect')) return [];
    const values = this.#values;
    return values.within('expect', () => {
      const lines = values.checkValue(document.expect, { listOf: 'string' }, new Memo());
      if (lines === INVALID) return [];
      return (lines as readonly string[]).flatMap((line, i) => {
        const read = this.#expectations.read(line, i);
        if ('relation' in read) return [read];
        values.report(read, [String(i)]);
        return [];
      });
    });
  }

  /** The common keys and the model's own, the common ones deciding what a word means. */
  #mergedParameters(declaration: ModelDeclaration, common: Parameters): Parameters {
    let merged = this.#parameters.get(declaration);
    if (merged === undefined) {
      merged = { ...common, ...declaration.parameters, ...common };
      this.#parameters.set(declaration, merged);
    }
    return merged;
  }
}

/** The values of a model's own parameters among those of a hop or flow. */
function pick(values: Values, parameters: Parameters): Values {
  const picked: Record<string, unknown> = {};
  for (const name in parameters) {
    const value = values[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
