import {
  type BucketFigures,
  type ClassFigures,
  classFigures,
  type HtbValues,
  htbRules,
  htbValues,
} from '../../../models/linux/htb/class-figures.ts';
import type { NestedModel, Values } from '../../../models/model.ts';
import type { HopSpec } from '../../scenario/scenario.ts';
import { formatRate } from '../../units/rate.ts';
import { formatSize } from '../../units/size.ts';
import { burstFindings, rateOf } from './bucket-lint.ts';
import {
  flowsOf,
  type LintContext,
  type LintFinding,
  type LintRule,
  largestPacketBytes,
  priorityAt,
} from './finding.ts';
import { codelFindings, longQueueFindings, netemFindings, type QueueView } from './queue-lint.ts';

const HIGHEST_PRIORITY = 7;
const LEAST_QUANTUM_BYTES = 1000;
const LARGEST_QUANTUM_BYTES = 200_000;
const TABLE_SLOTS = 256;
/** Quanta are written as the MTU, which leaves out the Ethernet header. */
const ETHERNET_HEADER_BYTES = 14;
/** Selectors that every packet (of IPv4) matches. */
const TAKES_ALL =
  /^(?:matchall|u32 match (?:ip (?:src|dst) (?:0(?:\.0){0,3}\/0|any|all|default)|u32 0(?:x0+)? 0(?:x0+)?(?: at \d+)?|ip protocol 0 0(?:x0+)?))$/;

/** Finds mistakes in an HTB. */
export function lintHtb(context: LintContext, hop: HopSpec, values: Values, path: readonly string[]): LintFinding[] {
  return new HtbLint(context, hop, htbValues(values), path).run();
}

class HtbLint {
  readonly #findings: LintFinding[] = [];
  readonly #context: LintContext;
  readonly #hop: HopSpec;
  readonly #values: HtbValues;
  readonly #path: readonly string[];
  readonly #classes: readonly ClassFigures[];
  readonly #byId = new Map<number, ClassFigures>();
  readonly #below = new Map<number, ClassFigures[]>();
  readonly #packetBytes: number;

  constructor(context: LintContext, hop: HopSpec, values: HtbValues, path: readonly string[]) {
    this.#context = context;
    this.#hop = hop;
    this.#values = values;
    this.#path = path;
    this.#classes = Object.keys(values.classes).map((name) => classFigures(values, name));
    for (const entry of this.#classes) {
      this.#byId.set(entry.id, entry);
      const siblings = this.#below.get(entry.parentId);
      if (siblings === undefined) this.#below.set(entry.parentId, [entry]);
      else siblings.push(entry);
    }
    this.#packetBytes = largestPacketBytes(context, flowsOf(context, hop));
  }

  run(): LintFinding[] {
    this.#default();
    for (const entry of this.#classes) {
      this.#rates(entry);
      if (this.#childrenOf(entry).length === 0) this.#leaf(entry);
      this.#buckets(entry);
    }
    this.#table();
    this.#queues();
    return this.#findings;
  }

  /** What waits in the leaves. */
  #queues(): void {
    const leaves = this.#classes.filter((entry) => this.#childrenOf(entry).length === 0);
    const queues = leaves.map((entry): QueueView => {
      const { qdisc } = this.#values.classes[entry.name]!;
      return {
        what: `the ${qdisc?.kind ?? 'queue'} of class ${entry.name}`,
        path: [...this.#path, 'classes', entry.name, ...(qdisc === undefined ? [] : ['qdisc'])],
        qdisc,
        limitPackets: entry.limitPackets,
        bitsPerSecond: this.#mostOf(entry),
        packetBytes: this.#packetBytes,
      };
    });
    this.#findings.push(...longQueueFindings(queues));
    for (const queue of queues) this.#findings.push(...codelFindings(queue), ...netemFindings(queue));
  }

  /** What a class can get at most (bit/s): the least of the ceils up to the root, where a rate alone counts. */
  #mostOf(entry: ClassFigures): number {
    const { rate, ceil = rate } = this.#values.classes[entry.name]!;
    const parent = this.#byId.get(entry.parentId);
    return parent === undefined ? rate : Math.min(Math.max(rate, ceil), this.#mostOf(parent));
  }

  #childrenOf(entry: ClassFigures): readonly ClassFigures[] {
    return this.#below.get(entry.id) ?? [];
  }

  #default(): void {
    const { default: wanted } = this.#values;
    const first = this.#classes[0];
    if (first === undefined) return;
    const id = wanted === undefined ? 0 : Math.floor(first.id / 0x10000) * 0x10000 + (wanted % 0x10000);
    const entry = this.#classes.find((candidate) => candidate.id === id);
    if (entry !== undefined && this.#childrenOf(entry).length > 0) {
      const text = `the default class ${entry.name} has classes below it, so that packets without a class pass unshaped`;
      this.#add('default-is-inner', ['default'], text, 'name a class without children');
      return;
    }
    if (entry !== undefined) return;
    const unclassified = flowsOf(this.#context, this.#hop).find((flow) => {
      const priority = priorityAt(flow, this.#hop);
      return flow.className === undefined && !this.#classes.some((candidate) => candidate.id === priority);
    });
    if (unclassified === undefined && !this.#context.imported) return;
    const all = this.#catchAll();
    if (unclassified === undefined && all === 'all') return;
    const nameless = all === 'ip' ? 'packets other than IPv4 (ARP, IPv6)' : 'packets that name no class';
    const who = unclassified === undefined ? nameless : `the packets of ${unclassified.name}`;
    this.#add(
      'no-default-class',
      [],
      `there is no default class: ${who} pass unshaped, before all others`,
      'add default: and a class for them',
    );
  }

  /** Whether a filter takes every packet, or at least those of IPv4, to a class. */
  #catchAll(): 'all' | 'ip' | undefined {
    const filters = this.#hop.filters ?? [];
    const takes = filters.filter(({ match, parent = 0 }) => parent % 0x10000 === 0 && TAKES_ALL.test(match));
    if (takes.some(({ protocol, match }) => protocol === 'all' && !/\bip\b/.test(match))) return 'all';
    return takes.length > 0 ? 'ip' : undefined;
  }

  #rates(entry: ClassFigures): void {
    const { rate, ceil = rate } = this.#values.classes[entry.name]!;
    const parent = this.#byId.get(entry.parentId);
    const at = ['classes', entry.name];
    if (ceil < rate) {
      const text = `class ${entry.name} has a ceil of ${formatRate(ceil)} below its rate of ${formatRate(rate)}; it gets ${formatRate(ceil)}`;
      this.#add('ceil-below-rate', [...at, 'ceil'], text, 'make ceil at least the rate');
    }
    this.#children(entry, rate);
    if (parent === undefined) {
      if (ceil <= rate) return;
      const text = `class ${entry.name} has no parent to borrow from: its ceil of ${formatRate(ceil)} is useless, its ${this.#childrenOf(entry).length > 0 ? 'children get' : 'packets get'} ${formatRate(rate)}`;
      this.#add('root-ceil-above-rate', [...at, 'ceil'], text, 'set rate to the ceil');
      return;
    }
    const above = this.#values.classes[parent.name]!;
    const aboveCeil = above.ceil ?? above.rate;
    if (rate > above.rate) {
      const text = `class ${entry.name} is promised ${formatRate(rate)}, its parent ${parent.name} only ${formatRate(above.rate)}; the parent does not restrain it`;
      this.#add('child-above-parent', [...at, 'rate'], text, `lower it, or raise ${parent.name}`);
    } else if (ceil > aboveCeil) {
      const text = `class ${entry.name} has a ceil of ${formatRate(ceil)}, its parent ${parent.name} one of ${formatRate(aboveCeil)}; it cannot borrow beyond that`;
      this.#add('child-above-parent', [...at, 'ceil'], text, `lower it, or raise the ceil of ${parent.name}`);
    }
  }

  #children(entry: ClassFigures, rate: number): void {
    const children = this.#childrenOf(entry);
    const sum = children.reduce((total, { name }) => total + this.#values.classes[name]!.rate, 0);
    if (children.length < 2 || sum <= rate) return;
    const text = `the children of ${entry.name} are promised ${formatRate(sum)} together, ${entry.name} has ${formatRate(rate)}; together they can pass it`;
    this.#add(
      'children-above-parent',
      ['classes', entry.name, 'rate'],
      text,
      'make the rates of the children add up to at most their parent’s',
    );
  }

  #leaf(entry: ClassFigures): void {
    const at = ['classes', entry.name];
    const given = this.#values.classes[entry.name]!;
    if (given.prio > HIGHEST_PRIORITY) {
      const text = `prio ${given.prio} of class ${entry.name} is above 7 and acts as 7: such classes share by quantum`;
      this.#add('prio-above-7', [...at, 'prio'], text, 'use 0 (first) to 7 (last)');
    }
    const { quantumBytes, quantumRule } = entry;
    const r2qBytes = Math.floor(entry.rate.bytesPerSecond / Math.max(1, this.#values.r2q));
    const isGiven = quantumRule === 'given';
    const place = isGiven ? [...at, 'quantum'] : at;
    if (quantumRule === 'raised' || quantumRule === 'lowered') {
      const text = `rate / r2q makes a quantum of ${formatSize(r2qBytes)} for class ${entry.name}, which the kernel sets to ${formatSize(quantumBytes)}: ${quantumRule === 'raised' ? 'such classes share alike, not by rate' : 'the share of large classes is no longer in proportion'}; it does not affect a class that is alone with its priority`;
      const hint = `give the class a quantum (${this.#packetBytes}b or more), or the qdisc another r2q`;
      this.#add('quantum-out-of-range', place, text, hint);
    } else if (isGiven && (quantumBytes < LEAST_QUANTUM_BYTES || quantumBytes > LARGEST_QUANTUM_BYTES)) {
      const text = `a quantum of ${formatSize(quantumBytes)} for class ${entry.name} is outside of 1,000 to 200,000 bytes`;
      this.#add('quantum-out-of-range', place, text, 'between one packet and some dozens shares best');
    }
    if (quantumBytes < this.#packetBytes - ETHERNET_HEADER_BYTES && (isGiven || quantumRule === 'r2q')) {
      const text = `the quantum of class ${entry.name}, ${formatSize(quantumBytes)}, is smaller than a packet of ${formatSize(this.#packetBytes)}: packets are counted out, not bytes`;
      this.#add('quantum-below-packet', place, text, `take at least ${this.#packetBytes}b`);
    }
    this.#inner(entry, given.qdisc);
  }

  #inner(entry: ClassFigures, qdisc: NestedModel | undefined): void {
    const limit = qdisc === undefined ? undefined : rateOf(qdisc);
    if (qdisc === undefined || limit === undefined) return;
    const text = `class ${entry.name} is limited twice: by HTB and by the ${qdisc.kind} of ${formatRate(limit)} inside it`;
    this.#add(
      'double-limit',
      ['classes', entry.name, 'qdisc'],
      text,
      'give the class that rate as its ceil, and a plain queue',
    );
  }

  #buckets(entry: ClassFigures): void {
    const { kernel } = htbRules(this.#values);
    const given = this.#values.classes[entry.name]!;
    const bucket = (figures: BucketFigures, key: 'burst' | 'cburst'): void => {
      this.#findings.push(
        ...burstFindings({
          what: `the ${key} of class ${entry.name}`,
          path: [...this.#path, 'classes', entry.name, ...(given[key] === undefined ? [] : [key])],
          configuredBytes: figures.burstBytes,
          isDefault: figures.burstDefaulted,
          heldBytes: Math.floor((figures.bufferTicks * kernel.tickNs * figures.bytesPerSecond) / 1e9),
          bytesPerSecond: figures.bytesPerSecond,
          packetBytes: this.#packetBytes,
          hop: this.#hop,
          hz: this.#values.hz,
        }),
      );
    };
    bucket(entry.rate, 'burst');
    const { rate, ceil = rate } = given;
    // A burst that was made larger is of no use where the other bucket, at the same rate, stayed small.
    const isOutgrown = given.burst !== undefined && given.burst > entry.ceil.burstBytes;
    if (given.cburst !== undefined || ceil !== rate || isOutgrown) bucket(entry.ceil, 'cburst');
  }

  /** Super-packets of TSO, or frames larger than mtu, on kernels that price from a table. */
  #table(): void {
    const { kernel } = htbRules(this.#values);
    if (kernel.cost !== 'table' && kernel.cost !== 'table-clamped') return;
    for (const entry of this.#classes) {
      const { table } = entry.rate;
      if (table === undefined || this.#childrenOf(entry).length > 0) continue;
      const reachBytes = TABLE_SLOTS * 2 ** table.cellLog;
      if (this.#packetBytes <= reachBytes) continue;
      const what =
        kernel.cost === 'table-clamped'
          ? `packets of ${formatSize(this.#packetBytes)} cost no more than ${formatSize(reachBytes)}, the last slot of its table: ${((this.#packetBytes / reachBytes) * 100).toFixed(0)} % of the rate passes`
          : `packets of ${formatSize(this.#packetBytes)} are priced by sums of slots, as its table ends at ${formatSize(reachBytes)}`;
      this.#add(
        'large-packets-small-table',
        ['classes', entry.name],
        `class ${entry.name}: ${what}`,
        `switch TSO off, or set mtu: ${this.#packetBytes}b`,
      );
    }
  }

  #add(rule: LintRule, below: readonly string[], text: string, hint: string): void {
    this.#findings.push({ rule, path: [...this.#path, ...below], text, hint });
  }
}
