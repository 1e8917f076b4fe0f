import type { ModelDeclaration, ModelRole, Parameter, Parameters, ParameterType } from '../../models/model.ts';
import {
  FLOW_PARAMETERS,
  PLAIN_HOP_PARAMETERS,
  REFERENCE_PARAMETERS,
  SCENARIO_PARAMETERS,
  SCENARIO_SECTIONS,
  SHAPED_HOP_PARAMETERS,
  SWEEP_KEYS,
} from './common-parameters.ts';
import * as messages from './messages.ts';
import { SAMPLE_METHODS } from './sweep-sample.ts';
import type { ModelRegistry } from './value-checker.ts';

/** A JSON Schema, as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Text with a variable, which may stand for any single value. */
const VARIABLE: JsonSchema = { $ref: '#/$defs/variable' };
const CLASS_ID_KEY = '^(0x)?[0-9a-fA-F]{1,4}:(0x)?[0-9a-fA-F]{0,4}$';

/** Types whose values are text or, for the base unit, a number. */
const EXAMPLES: Partial<Record<Extract<ParameterType, string>, readonly string[]>> = {
  rate: ['100mbit', '500kbit', '1gbit'],
  size: ['1514b', '64kb', '5MiB'],
  duration: ['10ms', '1s', '64ns'],
  probability: ['0.1%', '0.001'],
  'curl-limit': ['500k', '2000000'],
  queue: ['1000p', '64kb', '40ms'],
  'class-id': ['1:10'],
};

/**
 * Makes the JSON Schema (draft 2020-12) of scenario files out of the models' declarations, for editors: what each key
 * means, which there are, and what follows from `shaper:`, `source:` and `kind:`. Units are described, not checked.
 */
export function buildSchema(registry: ModelRegistry): JsonSchema {
  return new SchemaBuilder(registry).build();
}

class SchemaBuilder {
  readonly #registry: ModelRegistry;
  /** Where in the schema a parameter stands already, as many are common to several models. */
  readonly #pointers = new Map<Parameter, string>();
  /** Names in `$defs` of records that were met, as many are common to several models. */
  readonly #records = new Map<Parameters, string>();
  readonly #definitions: Record<string, JsonSchema> = {
    variable: {
      type: 'string',
      pattern: '\\$\\{',
      description: 'Text with a variable: its name in braces behind a $.',
    },
  };

  constructor(registry: ModelRegistry) {
    this.#registry = registry;
  }

  build(): JsonSchema {
    const properties: Record<string, unknown> = { ...this.#properties(SCENARIO_PARAMETERS, '#') };
    const sections: Record<keyof typeof SCENARIO_SECTIONS, JsonSchema> = {
      vars: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
      sweep: this.#sweep(),
      hops: {
        type: 'object',
        minProperties: 1,
        additionalProperties: this.#members('shaper', 'shaper', SHAPED_HOP_PARAMETERS),
      },
      flows: {
        type: 'object',
        minProperties: 1,
        additionalProperties: this.#members('source', 'source', FLOW_PARAMETERS),
      },
      expect: { type: 'array', items: { type: 'string' } },
      reference: this.#reference(),
    };
    for (const [name, section] of Object.entries(sections)) {
      const description = SCENARIO_SECTIONS[name as keyof typeof SCENARIO_SECTIONS];
      properties[name] = { description, ...section };
    }
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'shaperlab scenario',
      type: 'object',
      properties,
      required: ['duration', 'hops', 'flows'],
      additionalProperties: false,
      $defs: this.#definitions,
    };
  }

  /** A hop or flow: the common keys, and by its kind those of the model. */
  #members(key: 'shaper' | 'source', role: ModelRole, common: Parameters): JsonSchema {
    const models = [...this.#registry.modelsOf(role).values()];
    const branches = models.map((model) => {
      const name = `${key}-${model.kind}`;
      const kind = { ...common[key]!, type: { choice: [model.kind] }, help: model.summary };
      this.#define(name, { ...common, ...model.parameters, ...common, [key]: kind });
      return branch(key, model.kind, name);
    });
    const kinds = { anyOf: [{ enum: models.map((model) => model.kind) }, VARIABLE], description: common[key]!.help };
    if (key === 'source')
      return { type: 'object', properties: { source: kinds }, required: ['source'], allOf: branches };
    this.#define('plain-hop', PLAIN_HOP_PARAMETERS);
    const plain = implication({ not: { required: ['shaper'] } }, 'plain-hop');
    return { type: 'object', properties: { shaper: kinds }, allOf: [...branches, plain] };
  }

  #sweep(): JsonSchema {
    const scalar = { type: ['string', 'number', 'boolean'] };
    const count = { type: 'integer', minimum: 1 };
    const values = {
      anyOf: [{ type: 'array', items: scalar, minItems: 1 }, scalar],
      description: 'A list, a,b,c, from..to/step or from..to*factor.',
    };
    return {
      type: 'object',
      properties: {
        zip: { type: 'object', additionalProperties: values, description: SWEEP_KEYS.zip },
        sample: {
          anyOf: [
            count,
            {
              type: 'object',
              properties: {
                points: count,
                method: { enum: [...SAMPLE_METHODS] },
                seed: { type: 'integer', minimum: 0 },
              },
              required: ['points'],
              additionalProperties: false,
            },
          ],
          description: SWEEP_KEYS.sample,
        },
      },
      additionalProperties: values,
    };
  }

  #reference(): JsonSchema {
    this.#define('reference', REFERENCE_PARAMETERS);
    const one = { $ref: '#/$defs/reference' };
    return { anyOf: [one, { type: 'array', items: one }] };
  }

  /** Writes the mapping of these parameters to `$defs`. */
  #define(definition: string, parameters: Parameters): void {
    // Taken before its parts are built: they may have records of the same name.
    this.#definitions[definition] = {};
    const required = Object.entries(parameters).flatMap(([name, { required: isRequired }]) =>
      isRequired ? [name] : [],
    );
    this.#definitions[definition] = {
      type: 'object',
      properties: this.#properties(parameters, `#/$defs/${definition}`),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    };
  }

  #properties(parameters: Parameters, pointer: string): Record<string, JsonSchema> {
    const properties: Record<string, JsonSchema> = {};
    for (const [name, parameter] of Object.entries(parameters)) {
      const known = this.#pointers.get(parameter);
      if (known === undefined) this.#pointers.set(parameter, `${pointer}/properties/${name}`);
      properties[name] = known === undefined ? this.#property(name, parameter) : { $ref: known };
    }
    return properties;
  }

  #property(name: string, { type, help, default: value }: Parameter): JsonSchema {
    return { description: help, ...(value === undefined ? {} : { default: value }), ...this.#type(type, name) };
  }

  /** @param name of the parameter, by which records are named */
  #type(type: ParameterType, name: string): JsonSchema {
    if (typeof type === 'string') return this.#scalar(type);
    if ('choice' in type) return { anyOf: [{ enum: type.choice }, VARIABLE] };
    if ('listOf' in type) return { type: 'array', items: this.#type(type.listOf, name) };
    if ('record' in type) return this.#record(type.record, name);
    if ('oneOf' in type) return { anyOf: type.oneOf.map((one) => this.#type(one, name)) };
    if ('mapOf' in type) {
      const names = type.key === 'class-id' ? { propertyNames: { pattern: CLASS_ID_KEY } } : {};
      return { type: 'object', ...names, additionalProperties: this.#record(type.mapOf, name) };
    }
    return this.#nested(type.model);
  }

  /** A record by reference: it stands once in `$defs`, however often it is used. */
  #record(parameters: Parameters, name: string): JsonSchema {
    let definition = this.#records.get(parameters);
    if (definition === undefined) {
      definition = `record-${name}`;
      for (let i = 2; this.#definitions[definition] !== undefined; i++) definition = `record-${name}-${i}`;
      this.#records.set(parameters, definition);
      this.#define(definition, parameters);
    }
    return { $ref: `#/$defs/${definition}` };
  }

  #scalar(type: Extract<ParameterType, string>): JsonSchema {
    if (type === 'string') return { type: ['string', 'number'] };
    if (type === 'boolean' || type === 'integer' || type === 'number') return { anyOf: [{ type }, VARIABLE] };
    this.#definitions[type] ??= {
      type: type === 'queue' || type === 'class-id' ? 'string' : ['string', 'number'],
      description: messages.TYPE_WORDS[type],
      examples: EXAMPLES[type],
    };
    return { $ref: `#/$defs/${type}` };
  }

  /** A model inside another: its kind, or a mapping with `kind` and its parameters. */
  #nested(role: ModelRole): JsonSchema {
    const name = `nested-${role}`;
    const reference = { $ref: `#/$defs/${name}` };
    if (this.#definitions[name] !== undefined) return reference;
    const models = [...this.#registry.modelsOf(role).values()];
    const kinds = models.map((model) => model.kind);
    // Named before its parts are built: a qdisc may hold one of its own kind.
    this.#definitions[name] = {};
    const branches = models.map((model) => this.#nestedBranch(role, model));
    this.#definitions[name] = {
      anyOf: [
        { enum: kinds },
        VARIABLE,
        {
          type: 'object',
          properties: { kind: { anyOf: [{ enum: kinds }, VARIABLE] } },
          required: ['kind'],
          allOf: branches,
        },
      ],
    };
    return reference;
  }

  #nestedBranch(role: ModelRole, model: ModelDeclaration): JsonSchema {
    const name = `${role}-${model.kind}-nested`;
    const kind: Parameter = { type: { choice: [model.kind] }, help: model.summary, required: true };
    this.#define(name, { kind, ...model.parameters });
    return branch('kind', model.kind, name);
  }
}

function branch(key: string, kind: string, definition: string): JsonSchema {
  return implication({ properties: { [key]: { const: kind } }, required: [key] }, definition);
}

function implication(condition: JsonSchema, definition: string): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
  return { if: condition, then: { $ref: `#/$defs/${definition}` } };
}
