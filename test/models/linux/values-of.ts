import type { ModelDeclaration, ParameterType, Values } from '../../../models/model.ts';
import { allModels } from '../../../models/registry.ts';
import { parseDuration } from '../../../sim/units/duration.ts';
import { parseProbability } from '../../../sim/units/probability.ts';
import { parseRate } from '../../../sim/units/rate.ts';
import { parseSize } from '../../../sim/units/size.ts';

function parsed(type: ParameterType, text: string | number | boolean): unknown {
  if (typeof text !== 'string') return text;
  if (type === 'duration') return parseDuration(text);
  if (type === 'size') return parseSize(text);
  if (type === 'rate') return parseRate(text);
  if (type === 'probability') return parseProbability(text);
  return text;
}

/** The declaration of a shaper. @throws Error for an unknown kind */
export function shaperOf(kind: string): ModelDeclaration {
  const found = allModels().find((model) => model.role === 'shaper' && model.kind === kind);
  if (found === undefined) throw new Error(`no shaper ${kind}`);
  return found;
}

/** Checked values of a shaper: what is given, and the defaults of the declaration for the rest. */
export function valuesOf(kind: string, given: Values = {}): Values {
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(shaperOf(kind).parameters)) {
    if (given[name] !== undefined) values[name] = given[name];
    else if (parameter.default !== undefined) values[name] = parsed(parameter.type, parameter.default);
  }
  const unknown = Object.keys(given).filter((name) => shaperOf(kind).parameters[name] === undefined);
  if (unknown.length > 0) throw new Error(`${kind} has no ${unknown.join(', ')}`);
  return values;
}
