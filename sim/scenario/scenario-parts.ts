import type { Parameter, Parameters } from '../../models/model.ts';
import {
  DEVICE_PARAMETERS,
  FILTER_PARAMETERS,
  FLOW_PARAMETERS,
  LINK_PARAMETERS,
  REFERENCE_PARAMETERS,
  SCENARIO_PARAMETERS,
  SCENARIO_SECTIONS,
  SHAPED_HOP_PARAMETERS,
  SWEEP_KEYS,
  TIMER_PARAMETERS,
} from './common-parameters.ts';
import { RELATIONS } from './expectation.ts';
import { FIGURE_WORDS } from './messages.ts';
import { flowShape, hopShape, POINT_PARTS, type Shape } from './result-shape.ts';

/** A part of a scenario file that is no model, with the declarations that the checker and the JSON Schema read. */
export interface ScenarioPart {
  /** As one speaks of one of them: `hop`. */
  readonly name: string;
  /** The key in the file, where that is another word: `hops`. */
  readonly key?: string;
  readonly summary: string;
  readonly parameters?: Parameters;
  /** Keys whose values are no parameters: what is said of each. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Figures of a result by their paths, and how a value for each is written. */
  readonly figures?: Readonly<Record<string, string>>;
}

const HOP: Readonly<Record<'link' | 'timer' | 'filters' | 'device', Parameter>> = SHAPED_HOP_PARAMETERS;

/** All parts, from the whole to the details. */
export const SCENARIO_PARTS: readonly ScenarioPart[] = [
  {
    name: 'scenario',
    summary: 'The keys at the top of the file.',
    parameters: SCENARIO_PARAMETERS,
    keys: SCENARIO_SECTIONS,
  },
  { name: 'vars', summary: SCENARIO_SECTIONS.vars },
  { name: 'sweep', summary: SCENARIO_SECTIONS.sweep, keys: SWEEP_KEYS },
  {
    name: 'hop',
    key: 'hops',
    summary: `${SCENARIO_SECTIONS.hops} Beside these keys a hop has those of its shaper; without a shaper it has link and device only.`,
    parameters: SHAPED_HOP_PARAMETERS,
  },
  { name: 'link', summary: HOP.link.help, parameters: LINK_PARAMETERS },
  { name: 'timer', summary: HOP.timer.help, parameters: TIMER_PARAMETERS },
  { name: 'filter', key: 'filters', summary: HOP.filters.help, parameters: FILTER_PARAMETERS },
  { name: 'device', summary: HOP.device.help, parameters: DEVICE_PARAMETERS },
  {
    name: 'flow',
    key: 'flows',
    summary: `${SCENARIO_SECTIONS.flows} Beside these keys a flow has those of its source.`,
    parameters: FLOW_PARAMETERS,
  },
  {
    name: 'expect',
    summary: `${SCENARIO_SECTIONS.expect} The relations are ${RELATIONS.join(', ')}; a path may also stand for the value.`,
    figures: {
      ...pathsOf({ parts: POINT_PARTS }),
      ...pathsOf(flowShape(undefined), 'flows.NAME'),
      ...pathsOf(hopShape(undefined, []), 'hops.NAME'),
    },
  },
  { name: 'reference', summary: SCENARIO_SECTIONS.reference, parameters: REFERENCE_PARAMETERS },
];

/** Paths of all figures of a shape; NAME stands for what a scenario or its run decides. */
function pathsOf(shape: Shape, path?: string): Record<string, string> {
  if (typeof shape === 'string') return { [path ?? '']: FIGURE_WORDS[shape] };
  const parts = 'each' in shape ? { NAME: shape.each } : shape.parts;
  const below = Object.entries(parts).map(([name, part]) =>
    pathsOf(part, path === undefined ? name : `${path}.${name}`),
  );
  return Object.assign({}, ...below) as Record<string, string>;
}
