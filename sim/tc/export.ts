import { Document, visit } from 'yaml';
import type { NestedModel } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import type { FilterValues, HopSpec, ScenarioPoint } from '../scenario/scenario.ts';
import { escapeInvisible, visible } from '../scenario/visible-text.ts';
import { writeClassId } from '../units/class-id.ts';
import { writeDuration } from '../units/duration.ts';
import { camelCase, writeHandle, writeOptions } from './export-options.ts';
import { QdiscWriter } from './export-qdisc.ts';
import { MADE_HANDLES, MADE_OF, writeKept } from './kept-settings.ts';
import { POLICE_OPTIONS, QDISC_OPTIONS } from './option-tables.ts';
import { pointDocument } from './point-document.ts';
import type { Mapping } from './scenario-qdisc.ts';

/** Keys of a hop that its commands say, by kind; the others are kept in comments. */
const CONFIGURED_BESIDE = new Set(['kernel', 'tc', 'hz', 'txQueueLen', 'hysteresis', 'deviceMtu', 'timer', 'link']);

/** A script and what it could not say. */
export interface TcExport {
  readonly script: string;
  /** Parts of the scenario that tc has no words for and that are not kept in comments either. */
  readonly left: readonly string[];
}

/**
 * Writes the tc commands that set up the hops of a scenario. What tc has no words for (links, flows, kernel, timers)
 * is kept in comments, so that importing the script gives the same scenario.
 *
 * @param document of the scenario, as written
 * @param device of the first hop with a shaper; the next ones have the next numbers (eth0, eth1, …)
 */
export function exportTc({ scenario, variables }: ScenarioPoint, document: unknown, device: string): TcExport {
  const written = pointDocument(document, variables);
  const hops = (written.hops ?? {}) as Readonly<Record<string, Mapping>>;
  const commands: string[] = [];
  const left: string[] = [];
  const keptHops: Mapping = {};
  let count = 0;
  for (const hop of scenario.hops) {
    const own = hops[hop.name] ?? {};
    const exported = hop.shaper === undefined ? undefined : exportHop(hop, hop.shaper, nextDevice(device, count));
    if (exported === undefined) {
      if (hop.shaper !== undefined) left.push(`hop ${hop.name}: ${hop.shaper.kind}, which tc does not know`);
      keptHops[hop.name] = own;
      continue;
    }
    count++;
    commands.push('', ...exported.commands);
    left.push(...exported.left.map((text) => `hop ${hop.name}: ${text}`));
    const kept = Object.fromEntries(Object.entries(own).filter(([key]) => exported.kept(key)));
    const handles = exported.madeHandles.length > 0 ? { [MADE_HANDLES]: exported.madeHandles } : {};
    keptHops[hop.name] = { [MADE_OF]: exported.hopName, ...kept, ...handles };
  }
  const keptDocument = { ...written, hops: keptHops };
  const keptNodes = new Document(keptDocument, { aliasDuplicateObjects: false });
  visit(keptNodes, {
    Scalar: (_, node) => {
      // Only quoted text can say what would not be seen.
      if (typeof node.value === 'string' && visible(node.value) !== node.value) node.type = 'QUOTE_DOUBLE';
    },
  });
  const yaml = escapeInvisible(keptNodes.toString({ lineWidth: 0 }));
  const lines = [
    '#!/bin/sh',
    `# ${visible(scenario.title.replaceAll(/\s+/g, ' '))}`,
    '# Written by sim export tc; sim import tc makes the same scenario of it. Of the lines that begin with #sim: tc knows',
    '# nothing: links, flows, kernel, timers.',
    ...(count === 0 ? ['# Nothing of it can be set up with tc.'] : []),
    ...commands,
    '',
    writeKept(yaml),
    '',
  ];
  return { script: lines.join('\n'), left };
}

interface ExportedHop {
  readonly commands: readonly string[];
  readonly left: readonly string[];
  readonly madeHandles: readonly string[];
  /** Name that the import gives the hop. */
  readonly hopName: string;
  /** Whether a key of the hop's mapping is kept in comments. */
  kept(key: string): boolean;
}

function exportHop(hop: HopSpec, shaper: NestedModel, device: string): ExportedHop | undefined {
  if (shaper.kind === 'police') return exportPolicer(shaper, device);
  if (!Object.hasOwn(QDISC_OPTIONS, shaper.kind)) return undefined;
  const writer = new QdiscWriter(device);
  const major = writer.root(shaper);
  const filters = (hop.filters ?? []).map((filter) => filterCommand(filter, major, device));
  return {
    commands: [`tc qdisc del dev ${device} root 2>/dev/null || true`, ...writer.commands, ...filters],
    left: writer.left,
    madeHandles: writer.madeHandles,
    hopName: device,
    kept: (key) => CONFIGURED_BESIDE.has(key),
  };
}

/** A policer hangs on a filter that matches everything, at ingress or at the egress side of clsact. */
function exportPolicer({ values }: NestedModel, device: string): ExportedHop {
  const parameters = modelsOf('shaper').get('police')?.parameters ?? {};
  const isIngress = values.ingress === true;
  const { words } = writeOptions(values, parameters, POLICE_OPTIONS, []);
  const conform = values.conform === undefined || values.conform === 'ok' ? '' : `/${String(values.conform)}`;
  const said = new Set([
    'shaper',
    'exceed',
    'conform',
    'ingress',
    'estimator',
    ...POLICE_OPTIONS.map(([names]) => camelCase(names[0]!)),
  ]);
  const { estimator } = values as { estimator?: { readonly interval: number; readonly average: number } };
  const measured =
    estimator === undefined
      ? ''
      : `estimator ${writeDuration(estimator.interval)} ${writeDuration(estimator.average)} `;
  const police = `action police ${words.join(' ')} conform-exceed ${String(values.exceed)}${conform}`;
  return {
    commands: [
      `tc qdisc del dev ${device} clsact 2>/dev/null || true`,
      `tc qdisc add dev ${device} clsact`,
      `tc filter add dev ${device} ${isIngress ? 'ingress' : 'egress'} protocol all prio 1 ${measured}matchall ${police}`,
    ],
    left: [],
    madeHandles: [],
    hopName: `${device}-${isIngress ? 'ingress' : 'police'}`,
    kept: (key) => !said.has(key),
  };
}

function filterCommand(filter: FilterValues, major: number, device: string): string {
  const parent = filter.parent === undefined ? writeHandle(major) : writeClassId(filter.parent);
  const target = filter.class === undefined ? '' : ` classid ${writeClassId(filter.class)}`;
  const [kind, ...selector] = filter.match.trim().split(/\s+/);
  const body =
    kind === 'fw' ? `${selector.length > 0 ? `handle ${selector[0]} ` : ''}fw` : [kind, ...selector].join(' ');
  return `tc filter add dev ${device} parent ${parent} protocol ${filter.protocol} prio ${filter.prio} ${body}${target}`;
}

/** The device that many numbers further: eth0 → eth1. */
function nextDevice(first: string, steps: number): string {
  if (steps === 0) return first;
  const match = /^(.*?)(\d*)$/.exec(first)!;
  return `${match[1]}${Number(match[2] || '0') + steps}`;
}
