import type { ModelDeclaration, ModelRole, ParameterProblem, Values } from '../../../models/model.ts';
import type { ModelRegistry } from '../../../sim/scenario/value-checker.ts';

/** A shaper with a parameter of every type. */
const bucket: ModelDeclaration = {
  kind: 'bucket',
  role: 'shaper',
  summary: 'A bucket that exists in tests only',
  parameters: {
    rate: { type: 'rate', required: true, minimum: 8, maximum: 1e9, help: 'Rate.' },
    burst: { type: 'size', default: '10kb', help: 'Burst.' },
    interval: { type: 'duration', help: 'Interval.' },
    share: { type: 'probability', help: 'Share.' },
    ceiling: { type: 'curl-limit', help: 'Ceiling.' },
    room: { type: 'queue', help: 'Room.' },
    default: { type: 'class-id', help: 'Default class.' },
    bands: { type: 'integer', default: 3, minimum: 1, maximum: 16, help: 'Bands.' },
    weight: { type: 'number', help: 'Weight.' },
    strict: { type: 'boolean', default: false, help: 'Strictness.' },
    note: { type: 'string', help: 'Note.' },
    mode: { type: { choice: ['fast', 'slow'] }, default: 'fast', help: 'Mode.' },
    steps: { type: { listOf: 'integer' }, help: 'Steps.' },
    tcp: { type: { record: { pacing: { type: 'boolean', default: false, help: 'Pacing.' } } }, help: 'TCP.' },
    limits: {
      type: { mapOf: { rate: { type: 'rate', required: true, help: 'Rate.' } }, key: 'name' },
      help: 'Limits by name.',
    },
    classes: {
      type: {
        mapOf: {
          parent: { type: 'class-id', help: 'Parent.' },
          rate: { type: 'rate', required: true, help: 'Rate.' },
          qdisc: { type: { model: 'shaper' }, help: 'Child.' },
        },
        key: 'class-id',
      },
      help: 'Classes.',
    },
    sizes: {
      type: {
        oneOf: ['size', { choice: ['mixed'] }, { listOf: { record: { size: { type: 'size', help: 'Size.' } } } }],
      },
      help: 'Sizes.',
    },
  },
  counters: { overlimits: 'Times that it had nothing to give.' },
  check(values: Values): ParameterProblem[] {
    if (values.interval !== 1) return [];
    return [{ path: ['interval'], expected: 'another interval', received: '1 ns', hint: 'any other' }];
  },
};

/** A shaper without parameters but a handle. */
const plain: ModelDeclaration = {
  kind: 'plain',
  role: 'shaper',
  summary: 'A queue that exists in tests only',
  parameters: { handle: { type: 'class-id', help: 'Handle.' }, limit: { type: 'integer', default: 7, help: 'Limit.' } },
  counters: {},
};

const steady: ModelDeclaration = {
  kind: 'steady',
  role: 'source',
  summary: 'A source that exists in tests only',
  parameters: { rate: { type: 'rate', default: '1mbit', help: 'Rate.' }, size: { type: 'size', help: 'Size.' } },
  counters: { pauses: 'Times that it paused.' },
};

const models = [bucket, plain, steady];

/** Finds the models above. */
export const fakeRegistry: ModelRegistry = {
  modelsOf(role: ModelRole) {
    return new Map(models.filter((model) => model.role === role).map((model) => [model.kind, model]));
  },
};
