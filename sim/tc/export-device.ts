import type { NestedModel, Values } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import type { FilterValues, HopSpec } from '../scenario/scenario.ts';
import { parseClassId, writeClassId } from '../units/class-id.ts';
import { writeDuration } from '../units/duration.ts';
import type { DevicePlan, SideFilter } from './device-plan.ts';
import { writeHandle, writeOptions } from './export-options.ts';
import { QdiscWriter } from './export-qdisc.ts';
import { netemHopName, policerHopName } from './hop-names.ts';
import { POLICE_OPTIONS } from './option-tables.ts';

/** What the commands of a device say of one hop. */
export interface ExportedHop {
  /** Name that the import gives the hop. */
  readonly madeOf: string;
  readonly madeHandles: readonly string[];
  /** Parts that tc has no words for. */
  readonly left: readonly string[];
}

/** The commands of one device, and what they say of its hops, by name. */
export interface ExportedDevice {
  readonly commands: readonly string[];
  readonly hops: ReadonlyMap<string, ExportedHop>;
}

/** Commands that make the device where it has to be made. */
export function makeDevice({ name, isFed }: DevicePlan): string[] {
  return isFed ? [`ip link add ${name} type ifb 2>/dev/null || true`, `ip link set ${name} up`] : [];
}

/** Commands that set up the qdiscs and filters of a device. */
export function exportDevice(plan: DevicePlan): ExportedDevice {
  const { name, filters } = plan;
  const hops = new Map<string, ExportedHop>();
  const commands = exportRoot(plan, hops);
  if (filters.length > 0) {
    const isTwoSided = filters.some(({ isIngress }) => !isIngress);
    commands.push(
      `tc qdisc del dev ${name} parent ffff:fff1 2>/dev/null || true`,
      `tc qdisc add dev ${name} ${isTwoSided ? 'clsact' : 'ingress'}`,
      ...filters.map((filter) => {
        const parent = filter.isIngress ? (isTwoSided ? 'ingress' : 'parent ffff:') : 'egress';
        return sideFilterCommand(filter, `dev ${name} ${parent}`);
      }),
    );
  }
  for (const isIngress of [true, false]) {
    const policers = filters.filter((filter) => filter.isIngress === isIngress && filter.police !== undefined);
    for (const [i, { police }] of policers.entries()) {
      const madeOf = policerHopName(name, isIngress, i, policers.length);
      hops.set(police!.name, { madeOf, madeHandles: [], left: [] });
    }
  }
  return { commands, hops };
}

/** Root qdisc, classes and the filters that choose among them. */
function exportRoot({ name, root, link, classLinks }: DevicePlan, hops: Map<string, ExportedHop>): string[] {
  const homeless = new Set(classLinks);
  const shaped = root?.shaper === undefined ? undefined : withNetems(root.shaper, classLinks, homeless);
  const model = link === undefined ? shaped : netemOf(link, shaped);
  for (const hop of [...(link === undefined ? [] : [link]), ...classLinks]) {
    const where = hop.device?.class;
    const left = homeless.has(hop) ? [`its netem: ${name} has no class ${writeClassId(where!)}`] : leftOfLink(hop);
    hops.set(hop.name, { madeOf: netemHopName(name, where), madeHandles: [], left });
  }
  if (model === undefined) return [];
  const writer = new QdiscWriter(name);
  const major = writer.root(model, link !== undefined);
  const length = root?.shaper?.values.txQueueLen;
  if (root !== undefined) hops.set(root.name, { madeOf: name, madeHandles: writer.madeHandles, left: writer.left });
  return [
    ...(length === undefined ? [] : [`ip link set dev ${name} txqueuelen ${String(length)}`]),
    `tc qdisc del dev ${name} root 2>/dev/null || true`,
    ...writer.commands,
    ...(root?.filters ?? []).map((filter) => classFilterCommand(filter, major, name)),
  ];
}

/** A link as the netem that stands for it, around the qdisc that comes behind. */
function netemOf({ link }: HopSpec, qdisc: NestedModel | undefined): NestedModel {
  const { rateBitsPerSecond: rate, delayNs: delay, overheadBytes, loss, queue } = link;
  const values: Values = {
    ...(delay > 0 ? { delay } : {}),
    ...(loss > 0 ? { loss } : {}),
    ...(rate > 0 ? { rate } : {}),
    ...(rate > 0 && overheadBytes > 0 ? { packetOverhead: overheadBytes } : {}),
    ...('packets' in queue ? { limit: queue.packets } : {}),
    ...(qdisc === undefined ? {} : { qdisc }),
  };
  return { kind: 'netem', values };
}

/** Parts of a link that netem has not. */
function leftOfLink({ link }: HopSpec): string[] {
  return [
    ...('packets' in link.queue ? [] : ['a queue in bytes or time, which netem has in packets']),
    ...(link.drop.length > 0 ? ['drop, as netem loses at random'] : []),
    ...(link.opportunitiesNs === undefined ? [] : ['trace, which netem has not']),
  ];
}

/** The same tree with a netem in the classes that links name; those whose class is found are no longer `homeless`. */
function withNetems(model: NestedModel, links: readonly HopSpec[], homeless: Set<HopSpec>): NestedModel {
  if (links.length === 0) return model;
  const { kind, values } = model;
  const classes: Record<string, Values> = {};
  for (const [id, own] of Object.entries((values.classes ?? {}) as Readonly<Record<string, Values>>)) {
    const link = links.find(({ device }) => device?.class === parseClassId(id));
    const { qdisc, limit, ...rest } = own as Values & { qdisc?: NestedModel; limit?: number };
    if (link !== undefined) homeless.delete(link);
    const queue = limit === undefined ? undefined : { kind: 'pfifo', values: { limit } };
    const inside = qdisc === undefined ? (link === undefined ? undefined : queue) : withNetems(qdisc, links, homeless);
    const held = link === undefined ? inside : netemOf(link, inside);
    classes[id] =
      held === undefined
        ? own
        : { ...rest, qdisc: held, ...(link === undefined && limit !== undefined ? { limit } : {}) };
  }
  if (kind === 'prio') addBands(model, classes, links, homeless);
  const inner = values.qdisc as NestedModel | undefined;
  return {
    kind,
    values: {
      ...values,
      ...(Object.keys(classes).length > 0 ? { classes } : {}),
      ...(inner === undefined ? {} : { qdisc: withNetems(inner, links, homeless) }),
    },
  };
}

/** Bands of prio are there without being listed. */
function addBands(
  { values }: NestedModel,
  classes: Record<string, Values>,
  links: readonly HopSpec[],
  homeless: Set<HopSpec>,
): void {
  for (const link of links) {
    const id = link.device!.class!;
    const own = Math.floor(id / 0x10000) * 0x10000;
    if (values.handle !== own || id - own < 1 || id - own > Number(values.bands ?? 3) || !homeless.has(link)) continue;
    classes[writeClassId(id)] = { qdisc: netemOf(link, undefined) };
    homeless.delete(link);
  }
}

function sideFilterCommand(filter: SideFilter, place: string): string {
  const { police, redirect, protocol, prio, match } = filter;
  const { words, measured } =
    police === undefined ? { words: [], measured: '' } : policeWords(police, redirect !== undefined);
  const actions = [...words, ...(redirect === undefined ? [] : [`action mirred egress redirect dev ${redirect}`])];
  return `tc filter add ${place} protocol ${protocol} prio ${prio} ${measured}${selector(match)} ${actions.join(' ')}`;
}

/** What sets a policer up; `goesOn`: what conforms is to reach the action behind it. */
function policeWords({ shaper }: HopSpec, goesOn: boolean): { words: string[]; measured: string } {
  const { values } = shaper!;
  const parameters = modelsOf('shaper').get('police')?.parameters ?? {};
  const { words } = writeOptions(values, parameters, POLICE_OPTIONS, []);
  const within = String(values.conform ?? 'ok');
  const conform = within !== 'ok' ? `/${within}` : goesOn ? '/pipe' : '';
  const { estimator } = values as { estimator?: { readonly interval: number; readonly average: number } };
  const measured =
    estimator === undefined
      ? ''
      : `estimator ${writeDuration(estimator.interval)} ${writeDuration(estimator.average)} `;
  return {
    words: ['action police', ...words, `conform-exceed ${String(values.exceed)}${conform}`],
    measured,
  };
}

function classFilterCommand(filter: FilterValues, major: number, device: string): string {
  const parent = filter.parent === undefined ? writeHandle(major) : writeClassId(filter.parent);
  const target = filter.class === undefined ? '' : ` classid ${writeClassId(filter.class)}`;
  return `tc filter add dev ${device} parent ${parent} protocol ${filter.protocol} prio ${filter.prio} ${selector(filter.match)}${target}`;
}

/** A selector as it stands in a command: the mark of fw before its kind. */
function selector(match: string): string {
  const [kind, ...rest] = match.trim().split(/\s+/);
  return kind === 'fw' ? `${rest.length > 0 ? `handle ${rest[0]} ` : ''}fw` : [kind, ...rest].join(' ');
}
