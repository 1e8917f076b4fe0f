import type { ModelDeclaration, ParameterProblem, Values } from '../model.ts';
import type { ReadingPlan, WritingPlan } from '../tcp/application.ts';
import { pathParameters } from './tcp-path.ts';

/** A source that writes a stream into one TCP connection, read at once or in lumps. */
export interface StreamSource extends ModelDeclaration {
  readonly role: 'source';
  writing(values: Values): WritingPlan;
  reading(values: Values): ReadingPlan;
}

/** `source: bulk`: a greedy or sized TCP flow. */
export const bulk: StreamSource = {
  kind: 'bulk',
  role: 'source',
  summary: 'A TCP flow that always has data, until its bytes are sent',
  parameters: {
    bytes: { type: 'size', minimum: 1, help: 'Bytes to send (of each block, with `blocks`); absent: without end.' },
    blocks: {
      type: 'integer',
      default: 1,
      minimum: 1,
      maximum: 1_000_000,
      help: 'How often `bytes` are sent, each time after the last were acknowledged.',
    },
    idle: {
      type: 'duration',
      default: '0s',
      minimum: 0,
      help: 'Pause between the acknowledgement of a block and the next block.',
    },
    read: {
      type: {
        record: {
          every: {
            type: 'duration',
            required: true,
            minimum: 1,
            help: 'From one budget to the next, counted from the connection’s start.',
          },
          bytes: {
            type: 'size',
            required: true,
            minimum: 1,
            help: 'Bytes that the receiving application reads at most in that time.',
          },
        },
      },
      help: 'How the receiving application reads; absent: all that comes, at once.',
    },
    ...pathParameters,
  },
  counters: {
    sentSegments: 'Data segments sent, retransmissions included.',
    retransmittedSegments: 'Segments sent again.',
    timeouts: 'Expiries of the retransmission timer.',
    cwndPackets: 'Congestion window at the end.',
    ssthreshPackets: 'Slow start threshold at the end (-1: none yet).',
    smoothedRttSeconds: 'Smoothed round-trip time at the end.',
    sentAcks: 'ACKs that the receiver sent.',
    duplicateSegments: 'Segments that came twice.',
  },
  check(values: Values): ParameterProblem[] {
    if (values.bytes !== undefined || values.blocks === 1) return [];
    return [
      {
        path: ['blocks'],
        expected: '`bytes` with it',
        received: `${values.blocks} blocks without end`,
        hint: 'give the size of a block: bytes: 1MiB',
      },
    ];
  },
  writing(values: Values): WritingPlan {
    return {
      blockBytes: (values.bytes as number | undefined) ?? Number.POSITIVE_INFINITY,
      blocks: values.blocks as number,
      idleNs: values.idle as number,
    };
  },
  reading(values: Values): ReadingPlan {
    const read = values.read as { readonly every: number; readonly bytes: number } | undefined;
    return { periodNs: read?.every ?? 0, lumpBytes: read?.bytes ?? 0 };
  },
};
