import type { ModelDeclaration, Parameter, Parameters, ParameterType, Values } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import { parseDuration } from '../../sim/units/duration.ts';
import { parseProbability } from '../../sim/units/probability.ts';
import { parseQueueLimit } from '../../sim/units/queue-limit.ts';
import { parseRate } from '../../sim/units/rate.ts';
import { parseSize } from '../../sim/units/size.ts';

/** A value of each plain type, odd enough that divisions leave rests. */
const plain: Readonly<Record<Extract<ParameterType, string>, unknown>> = {
  rate: 8_000_003,
  size: 50_021,
  duration: 333_333_333,
  probability: 0.1,
  'curl-limit': 1_000_003,
  queue: { packets: 50 },
  'class-id': 0x10010,
  integer: 7,
  number: 7,
  boolean: true,
  string: 'x',
};

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  rate: parseRate,
  size: parseSize,
  duration: parseDuration,
  probability: parseProbability,
  queue: parseQueueLimit,
};

function sampleOf(type: ParameterType): unknown {
  if (typeof type === 'string') return plain[type];
  if ('choice' in type) return type.choice[0];
  if ('listOf' in type) return [sampleOf(type.listOf)];
  if ('record' in type) return sampleParameters(type.record);
  if ('mapOf' in type) return { [type.key === 'class-id' ? '1:10' : 'x']: sampleParameters(type.mapOf) };
  if ('oneOf' in type) return sampleOf(type.oneOf[0]!);
  const [first] = modelsOf(type.model).values();
  return { kind: first!.kind, values: sampleParameters(first!.parameters) };
}

function defaultOf({ type, default: text }: Parameter): unknown {
  return typeof type === 'string' && type in readers ? readers[type]!(String(text)) : text;
}

function sampleParameters(parameters: Parameters): Values {
  const entries = Object.entries(parameters).flatMap(([name, parameter]): [string, unknown][] => {
    if (parameter.default !== undefined) return [[name, defaultOf(parameter)]];
    return parameter.required === true ? [[name, sampleOf(parameter.type)]] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * Checked values with which a model can be tried, from its declaration alone: its defaults, and something for all that is
 * required. `more` is added where a declaration cannot tell what goes together.
 *
 * @throws Error where the model's own check refuses them
 */
export function sampleValues(declaration: ModelDeclaration, more: Values = {}): Values {
  const values = { ...sampleParameters(declaration.parameters), ...more };
  const [problem] = declaration.check?.(values) ?? [];
  if (problem === undefined) return values;
  const { path, expected, received } = problem;
  throw new Error(
    `${declaration.kind} cannot be tried: ${path.join('.')}: expected ${expected} but received ${received}`,
  );
}
