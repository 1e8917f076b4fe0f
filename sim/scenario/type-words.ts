import type { ParameterType } from '../../models/model.ts';
import { writeDuration } from '../units/duration.ts';
import { writeRate } from '../units/rate.ts';
import { writeSize } from '../units/size.ts';
import * as messages from './messages.ts';
import { versionRanges } from './version-words.ts';

/** Which shape a value of the type has in a document. */
export function shapeOf(type: ParameterType): 'scalar' | 'list' | 'mapping' | 'any' {
  if (typeof type === 'string' || 'choice' in type) return 'scalar';
  if ('oneOf' in type) return 'any';
  return 'listOf' in type ? 'list' : 'mapping';
}

/** Which shape a value in a document has. */
export function shapeOfNode(node: unknown): 'scalar' | 'list' | 'mapping' {
  if (Array.isArray(node)) return 'list';
  return typeof node === 'object' && node !== null ? 'mapping' : 'scalar';
}

/** Says what a value of the type looks like. */
export function describeType(type: ParameterType): string {
  if (typeof type === 'string') return messages.TYPE_WORDS[type];
  if ('choice' in type) return versionRanges(type.choice) ?? messages.listWords(type.choice);
  if ('listOf' in type) return `a list, each ${describeType(type.listOf)}`;
  if ('record' in type) return `a mapping with ${Object.keys(type.record).join(', ')}`;
  if ('mapOf' in type) return type.key === 'class-id' ? 'a mapping by class id' : 'a mapping by name';
  if ('model' in type) return `a ${type.model}: its kind, or a mapping with kind and its parameters`;
  const words = type.oneOf.flatMap((one) =>
    typeof one === 'object' && 'choice' in one ? one.choice : [describeType(one)],
  );
  return messages.listWords(words);
}

/** Writes a bound of a type as one would write a value. */
export function writeBound(bound: number, type: ParameterType): string {
  if (type === 'rate') return writeRate(bound);
  if (type === 'size') return writeSize(bound);
  if (type === 'duration') return writeDuration(bound);
  if (typeof type === 'object' && 'oneOf' in type && type.oneOf[0] !== undefined)
    return writeBound(bound, type.oneOf[0]);
  return String(bound);
}
