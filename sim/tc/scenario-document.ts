import { DEFAULT_PRIOMAP } from '../../models/linux/prio.ts';
import { writeClassId } from '../units/class-id.ts';
import { parseDuration, writeDuration } from '../units/duration.ts';
import { parseRate, writeRate } from '../units/rate.ts';
import { linkRateFor } from './device-rates.ts';
import { deviceOf, policerDevice, redirectsTo } from './document-device.ts';
import { netemHopName, policerHopName } from './hop-names.ts';
import {
  rootQdisc,
  type TcAction,
  type TcDevice,
  type TcFilter,
  type TcMessage,
  type TcQdisc,
  type TcTree,
} from './model.ts';
import { durationFor, FRAME_BYTES, filteredFlow, leafFlows, type SuppliedFlow } from './scenario-flows.ts';
import { type Mapping, QdiscTranslator, type Remark } from './scenario-qdisc.ts';

/** A scenario document made of a tree, with what a reader should know. */
export interface TranslatedScenario {
  readonly document: {
    readonly hops: Mapping;
    readonly flows: Mapping;
    readonly duration: string;
    readonly warmup: string;
  };
  readonly remarks: readonly Remark[];
  /** Script lines by dotted path of the document. */
  readonly lines: ReadonlyMap<string, number>;
  readonly messages: readonly TcMessage[];
}

type Police = Extract<TcAction, { kind: 'police' }>;

/**
 * Makes hops of the devices and supplies a flow for each leaf.
 *
 * @param made of a scenario's own script: the hops that it kept settings of; its netem is a link where it is among them
 */
export function translate(tree: TcTree, made: ReadonlySet<string> | undefined): TranslatedScenario {
  return new Translator(tree, made).run();
}

class Translator {
  readonly #tree: TcTree;
  readonly #made: ReadonlySet<string> | undefined;
  readonly #hops: Mapping = {};
  readonly #flows: SuppliedFlow[] = [];
  readonly #remarks: Remark[] = [];
  readonly #lines = new Map<string, number>();
  readonly #messages: TcMessage[] = [];
  /** Hops that packets cross before those of a device, by device: policers of what is redirected to it. */
  readonly #redirected = new Map<string, string[]>();

  constructor(tree: TcTree, made: ReadonlySet<string> | undefined) {
    this.#tree = tree;
    this.#made = made;
  }

  run(): TranslatedScenario {
    const devices = [...this.#tree.devices.values()];
    for (const device of devices) this.#ingress(device);
    for (const device of devices) this.#egress(device, devices);
    const flows: Mapping = {};
    for (const { name, keys, comment } of this.#flows) {
      flows[name] = keys;
      if (comment !== undefined) this.#remarks.push({ path: ['flows', name], text: comment, line: 0, lost: false });
    }
    const duration = this.#flows.length === 0 ? '1s' : durationFor(this.#flows);
    return {
      // What the first packets do, while buckets are full and lines empty, is left out of the rates.
      document: { duration, warmup: writeDuration(parseDuration(duration) / 10), hops: this.#hops, flows },
      remarks: this.#remarks,
      lines: this.#lines,
      messages: this.#messages,
    };
  }

  /** Policers of what arrives are hops of their own; what is redirected goes on to its device. */
  #ingress(device: TcDevice): void {
    const filters = device.filters.filter((filter) => filter.parent === 'ingress');
    const policing = filters.filter((filter) => policeOf(filter) !== undefined);
    for (const [i, filter] of policing.entries()) {
      const name = policerHopName(device.name, true, i, policing.length);
      this.#policer(name, device, filter, true);
      const redirect = filter.actions.find((action) => action.kind === 'redirect');
      const target = redirect?.kind === 'redirect' ? redirect.device : undefined;
      if (target !== undefined && this.#shapes(target)) {
        this.#redirected.set(target, [...(this.#redirected.get(target) ?? []), name]);
        continue;
      }
      this.#flows.push(this.#policedFlow(name, filter));
    }
    for (const filter of filters) {
      for (const action of filter.actions) {
        if (action.kind === 'redirect' && !this.#shapes(action.device)) {
          this.#say(
            filter.line,
            'warning',
            `what is redirected to ${action.device} meets no shaper there`,
            `add a root qdisc to ${action.device}`,
          );
        }
        if (action.kind === 'drop')
          this.#say(filter.line, 'warning', 'packets of this filter are all dropped; it gets no flow');
      }
      if (filter.actions.length === 0 && filter.unknown.length === 0)
        this.#say(
          filter.line,
          'warning',
          'this filter of what arrives neither polices nor redirects, and ingress has no classes: it does nothing',
          'shape on an ifb: action mirred egress redirect dev ifb0',
        );
    }
  }

  /** A flow of what a policer's filter matches. */
  #policedFlow(hop: string, filter: TcFilter): SuppliedFlow {
    const { rate, avrate, pkts_rate: packets } = policeOf(filter)!.options;
    const bits = rate ?? avrate;
    const limit = typeof bits === 'string' ? parseRate(bits) : Number(packets) * 8 * FRAME_BYTES;
    return filteredFlow(`into-${hop}`, filter, limit, [hop]);
  }

  #shapes(device: string): boolean {
    const there = this.#tree.devices.get(device);
    return there !== undefined && rootQdisc(there) !== undefined;
  }

  #policer(name: string, device: TcDevice, filter: TcFilter, isIngress: boolean): void {
    const police = policeOf(filter)!;
    const { pkts_rate: pktsRate, pkts_burst: pktsBurst, ...options } = police.options;
    const path = ['hops', name];
    if (pktsRate !== undefined) Object.assign(options, { pktsRate });
    if (pktsBurst !== undefined) Object.assign(options, { pktsBurst });
    this.#hops[name] = {
      device: policerDevice(device.name, filter),
      shaper: 'police',
      ...options,
      ...(police.conform === undefined ? {} : { conform: police.conform }),
      exceed: police.exceed,
      ...(isIngress ? { ingress: true } : {}),
    };
    for (const key of ['', ...Object.keys(options)])
      this.#lines.set([...path, ...(key === '' ? [] : [key])].join('.'), filter.line);
    for (const part of filter.unknown) this.#remarks.push({ path, text: part, line: filter.line, lost: true });
  }

  #egress(device: TcDevice, devices: readonly TcDevice[]): void {
    const policed = this.#egressPolicers(device);
    const root = rootQdisc(device);
    if (root === undefined) {
      for (const [filter, via] of policed) this.#flows.push(this.#policedFlow(via[0]!, filter));
      return;
    }
    if (/^ifb/.test(device.name) && !this.#isFed(device, devices))
      this.#say(
        root.line,
        'warning',
        `nothing is redirected to ${device.name}: no packet passes there`,
        `redirect what arrives: tc filter add dev eth0 parent ffff: matchall action mirred egress redirect dev ${device.name}`,
      );
    const path = ['hops', device.name];
    const translator = new QdiscTranslator(device, this.#made);
    const shaper = translator.root(root, path);
    this.#remarks.push(...translator.remarks);
    for (const [place, line] of translator.lines) this.#lines.set(place, line);
    const egress = this.#filters(device, path);
    const link = { rate: writeRate(linkRateFor(device)) };
    const redirects = redirectsTo(device.name, devices);
    const before = new Map<number | undefined, string[]>();
    for (const netem of translator.netems) {
      const { classId } = netem;
      const name = netemHopName(device.name, classId);
      const isFed = shaper === undefined && classId === undefined;
      this.#hops[name] = { device: deviceOf(device.name, isFed ? redirects : [], classId), link: netem.link };
      this.#lines.set(`hops.${name}`, netem.line);
      before.set(netem.classId, [...(before.get(netem.classId) ?? []), name]);
    }
    if (shaper !== undefined) {
      const filters = filterMappings(egress, root.handle * 0x10000, (filter) => this.#targetOf(device, filter, path));
      for (const [i, filter] of egress.entries()) this.#lines.set(`${path.join('.')}.filters.${i}`, filter.line);
      this.#hops[device.name] = {
        device: deviceOf(device.name, redirects),
        ...shaper,
        ...(filters.length > 0 ? { filters } : {}),
        link,
      };
      this.#remarks.push({
        path: [...path, 'link'],
        text: 'the script does not say how fast the device is',
        line: root.line,
        lost: false,
      });
    }
    const via = (target: number | undefined, filter: TcFilter | undefined): string[] => [
      ...(this.#redirected.get(device.name) ?? []).slice(0, 1),
      ...(filter === undefined ? [] : (policed.get(filter) ?? [])),
      ...(before.get(undefined) ?? []),
      ...(target === undefined ? [] : (before.get(target) ?? [])),
      ...(shaper === undefined ? [] : [device.name]),
    ];
    const several = devices.filter((candidate) => rootQdisc(candidate) !== undefined).length > 1;
    this.#flows.push(
      ...leafFlows(device, shaper === undefined ? [] : egress, via, several ? `${device.name}-` : 'to-'),
    );
  }

  /** Whether a filter sends packets to a device that has none of its own. */
  #isFed(device: TcDevice, devices: readonly TcDevice[]): boolean {
    const actions = devices.flatMap(({ filters }) => filters.flatMap((filter) => filter.actions));
    return actions.some((action) => action.kind === 'redirect' && action.device === device.name);
  }

  #egressPolicers(device: TcDevice): Map<TcFilter, string[]> {
    const policed = new Map<TcFilter, string[]>();
    const policing = device.filters.filter((filter) => filter.parent !== 'ingress' && policeOf(filter) !== undefined);
    for (const [i, filter] of policing.entries()) {
      const name = policerHopName(device.name, false, i, policing.length);
      this.#policer(name, device, filter, false);
      policed.set(filter, [name]);
    }
    return policed;
  }

  /** Filters of the root and of classes that choose a class; the others are listed as lost. */
  #filters(device: TcDevice, path: readonly string[]): TcFilter[] {
    const root = rootQdisc(device)!;
    return device.filters.filter((filter) => {
      if (typeof filter.parent !== 'number') return false;
      const where = filter.parent;
      for (const part of policeOf(filter) === undefined ? filter.unknown : [])
        this.#remarks.push({ path, text: `filter: ${part}`, line: filter.line, lost: true });
      const isAsked = where === root.handle * 0x10000 || device.classes.some((entry) => entry.id === where);
      if (!isAsked)
        this.#lose(
          path,
          `the filter "${filter.selector}" of ${writeClassId(where)}, which is not the root`,
          filter.line,
        );
      return isAsked && (filter.target !== undefined || filter.selector === 'fw');
    });
  }

  /**
   * Where the packets of a filter really go: to its class, or, where there is none, to the one that the qdisc takes then.
   *
   * Source: net/sched/sch_htb.c: htb_classify; net/sched/sch_prio.c: prio_classify.
   */
  #targetOf(device: TcDevice, filter: TcFilter, path: readonly string[]): number | undefined {
    const { target, line } = filter;
    const root = rootQdisc(device)!;
    const own = root.handle * 0x10000;
    if (target === undefined || target === own) return target;
    if (root.kind === 'htb') this.#innerTarget(device, root, target, line);
    const instead =
      root.kind === 'htb'
        ? htbInstead(device, root, target)
        : root.kind === 'prio'
          ? prioInstead(root, target)
          : target;
    if (instead === target) return target;
    const place = instead === own ? 'pass unshaped, as there is no default class' : `go to ${writeClassId(instead)}`;
    const missing = writeClassId(target);
    this.#say(line, 'warning', `the filter sends to ${missing}, which does not exist`, `its packets ${place}`);
    const text = `the filter of line ${line} sends to ${missing}, which does not exist: its packets ${place}`;
    this.#remarks.push({ path: [...path, 'filters'], text, line, lost: false });
    return instead;
  }

  /** A class with classes below it and no filters of its own passes its packets on to the default class. */
  #innerTarget(device: TcDevice, root: TcQdisc, target: number, line: number): void {
    const isInner = device.classes.some(({ parent }) => parent === target);
    if (!isInner || device.filters.some(({ parent }) => parent === target)) return;
    const instead = htbInstead(device, root, root.handle * 0x10000 + 0xffff);
    const isDirect = instead === root.handle * 0x10000 || device.classes.some(({ parent }) => parent === instead);
    this.#say(
      line,
      'warning',
      `the filter sends to ${writeClassId(target)}, which has classes below it and no filter of its own`,
      `its packets ${isDirect ? 'pass unshaped' : `go to the default class ${writeClassId(instead)}`}; send them to a class without children`,
    );
  }

  #lose(path: readonly string[], text: string, line: number): void {
    this.#remarks.push({ path, text, line, lost: true });
  }

  #say(line: number, severity: TcMessage['severity'], text: string, hint?: string): void {
    this.#messages.push(hint === undefined ? { line, severity, text } : { line, severity, text, hint });
  }
}

function policeOf(filter: TcFilter): Police | undefined {
  const police = filter.actions.find((action) => action.kind === 'police');
  return police?.kind === 'police' ? police : undefined;
}

/** Filters as a scenario lists them; preference 0, which the kernel can come to by itself, becomes 1 and the others one more. */
function filterMappings(
  filters: readonly TcFilter[],
  root: number,
  targetOf: (filter: TcFilter) => number | undefined,
): Mapping[] {
  const shift = filters.some(({ preference }) => preference === 0) ? 1 : 0;
  return filters.map((filter) => {
    const target = targetOf(filter);
    return {
      ...(filter.parent === root ? {} : { parent: writeClassId(filter.parent as number) }),
      prio: filter.preference + shift,
      ...(filter.protocol === 'all' ? {} : { protocol: filter.protocol }),
      match: filter.selector,
      ...(target === undefined ? {} : { class: writeClassId(target) }),
    };
  });
}

/** The class that htb takes for a filter's: itself, else the default class, else none (the qdisc itself). */
function htbInstead(device: TcDevice, root: TcQdisc, target: number): number {
  const has = (id: number): boolean => device.classes.some((entry) => entry.id === id);
  if (has(target)) return target;
  const own = root.handle * 0x10000;
  const standard = own + (typeof root.options.default === 'number' ? root.options.default : 0);
  return has(standard) ? standard : own;
}

/** The band that prio takes for a filter's class: that of its minor number, else that of the priority 0. */
function prioInstead(root: TcQdisc, target: number): number {
  const { bands = 3, priomap } = root.options;
  const minor = target % 0x10000;
  const standard = (Array.isArray(priomap) ? (priomap as readonly number[]) : DEFAULT_PRIOMAP)[0]!;
  return root.handle * 0x10000 + (minor >= 1 && minor <= Number(bands) ? minor : standard + 1);
}
