import type { JsonSchema } from '../../../sim/scenario/schema.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Judges data by the words of JSON Schema that the scenario schema uses; an unknown word is an error, so that none is
 * passed over.
 */
export function fitsSchema(data: unknown, schema: JsonSchema, root: JsonSchema): boolean {
  return Object.entries(schema).every(([word, value]) => fitsWord(data, word, value, schema, root));
}

function fitsWord(data: unknown, word: string, value: unknown, schema: JsonSchema, root: JsonSchema): boolean {
  const fits = (item: unknown, part: unknown): boolean => fitsSchema(item, part as JsonSchema, root);
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  const entries = Object.entries(isObject ? data : {});
  switch (word) {
    case '$schema':
    case '$defs':
    case 'title':
    case 'description':
    case 'default':
    case 'examples':
    case 'then':
      return true;
    case '$ref': {
      const steps = String(value).split('/').slice(1);
      const target = steps.reduce<unknown>((part, step) => (part as Json | undefined)?.[step], root);
      if (target === undefined) throw new Error(`no ${value}`);
      return fits(data, target);
    }
    case 'type':
      return [value].flat().some((type) => isOfType(data, String(type)));
    case 'enum':
      return (value as unknown[]).includes(data);
    case 'const':
      return value === data;
    case 'pattern':
      return typeof data !== 'string' || new RegExp(String(value), 'u').test(data);
    case 'anyOf':
      return (value as unknown[]).some((part) => fits(data, part));
    case 'allOf':
      return (value as unknown[]).every((part) => fits(data, part));
    case 'not':
      return !fits(data, value);
    case 'if':
      return !fits(data, value) || fits(data, schema.then);
    case 'required':
      return !isObject || (value as string[]).every((key) => Object.hasOwn(data, key));
    case 'properties':
      return entries.every(([key, item]) => !Object.hasOwn(value as Json, key) || fits(item, (value as Json)[key]));
    case 'additionalProperties': {
      const others = entries.filter(([key]) => !Object.hasOwn((schema.properties ?? {}) as Json, key));
      return value === false ? others.length === 0 : others.every(([, item]) => fits(item, value));
    }
    case 'propertyNames':
      return entries.every(([key]) => fits(key, value));
    case 'minProperties':
      return !isObject || entries.length >= Number(value);
    case 'items':
      return !Array.isArray(data) || data.every((item) => fits(item, value));
    case 'minItems':
      return !Array.isArray(data) || data.length >= Number(value);
    default:
      throw new Error(`unknown word ${word}`);
  }
}

function isOfType(data: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(data);
  if (type === 'object') return typeof data === 'object' && data !== null && !Array.isArray(data);
  if (type === 'integer') return Number.isInteger(data);
  return typeof data === type;
}
