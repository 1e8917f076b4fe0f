import { Document, visit } from 'yaml';
import type { HopSpec, ScenarioPoint } from '../scenario/scenario.ts';
import { escapeInvisible, visible } from '../scenario/visible-text.ts';
import type { DeviceChoice } from './device-names.ts';
import { isExported, planDevices } from './device-plan.ts';
import { type ExportedHop, exportDevice, makeDevice } from './export-device.ts';
import { camelCase } from './export-options.ts';
import { MADE_DEVICE, MADE_HANDLES, MADE_OF, writeKept } from './kept-settings.ts';
import { POLICE_OPTIONS } from './option-tables.ts';
import { pointDocument } from './point-document.ts';
import type { Mapping } from './scenario-qdisc.ts';

/** Keys of a hop that no command says, besides those of its policer. */
const KEPT_KEYS = new Set(['kernel', 'tc', 'hz', 'hysteresis', 'deviceMtu', 'timer', 'link']);
const POLICER_KEYS = new Set([
  'shaper',
  'exceed',
  'conform',
  'ingress',
  'estimator',
  'device',
  ...POLICE_OPTIONS.map(([names]) => camelCase(names[0]!)),
]);

/** A script and what it could not say. */
export interface TcExport {
  readonly script: string;
  /** Parts of the scenario that tc has no words for and that are not kept in comments either. */
  readonly left: readonly string[];
}

/**
 * Writes the tc commands that set up the hops of a scenario, device by device. What tc has no words for (links, flows,
 * kernel, timers) is kept in comments, so that importing the script gives the same scenario.
 *
 * @param document of the scenario, as written
 * @throws ExportFault where a device is not known, or two hops want the same place of one
 */
export function exportTc({ scenario, variables }: ScenarioPoint, document: unknown, choice: DeviceChoice): TcExport {
  const written = pointDocument(document, variables);
  const own = (written.hops ?? {}) as Readonly<Record<string, Mapping>>;
  const plans = planDevices(scenario.hops.filter(isExported), choice);
  const devices = plans.map(exportDevice);
  const made = plans.flatMap(makeDevice);
  const commands = [...(made.length === 0 ? [] : [made]), ...devices.map((device) => device.commands)].flatMap(
    (lines) => ['', ...lines],
  );
  const said = new Map(devices.flatMap(({ hops }) => [...hops]));
  const left: string[] = [];
  const keptHops: Mapping = {};
  for (const hop of scenario.hops) {
    const exported = said.get(hop.name);
    keptHops[hop.name] = exported === undefined ? own[hop.name] : keptHop(hop, own[hop.name] ?? {}, exported);
    if (exported === undefined && hop.shaper !== undefined)
      left.push(`hop ${hop.name}: ${hop.shaper.kind}, which tc does not know`);
    left.push(...(exported?.left ?? []).map((text) => `hop ${hop.name}: ${text}`));
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
    ...(plans.length === 0 ? ['# Nothing of it can be set up with tc.'] : []),
    ...commands,
    '',
    writeKept(yaml),
    '',
  ];
  return { script: lines.join('\n'), left };
}

/** What the comments keep of a hop beside its commands. */
function keptHop({ device, shaper }: HopSpec, own: Mapping, { madeOf, madeHandles }: ExportedHop): Mapping {
  const isKept = (key: string): boolean => (shaper?.kind === 'police' ? !POLICER_KEYS.has(key) : KEPT_KEYS.has(key));
  return {
    [MADE_OF]: madeOf,
    ...Object.fromEntries(Object.entries(own).filter(([key]) => isKept(key))),
    ...(device === undefined ? { [MADE_DEVICE]: true } : {}),
    ...(madeHandles.length > 0 ? { [MADE_HANDLES]: madeHandles } : {}),
  };
}
