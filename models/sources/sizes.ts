import { invariant, type Parameter, type ParameterProblem, type RandomStream, type Values } from '../model.ts';
import { LONGEST_PACKET_BYTES } from '../packet.ts';
import type { RecurrencePass } from '../recurrence.ts';

/** Sizes of the Internet mix in bytes as tc counts them (IP 40, 576, 1500 and 14 of Ethernet), 7 : 4 : 1. */
const IMIX: readonly WeightedSize[] = [
  { size: 54, weight: 7 },
  { size: 590, weight: 4 },
  { size: 1514, weight: 1 },
];

interface WeightedSize {
  readonly size: number;
  readonly weight: number;
}

/** What a packet of another length than {@link LONGEST_PACKET_BYTES} allows is told. */
const boundsHint =
  'this is the length of one packet, 1514b for a full Ethernet frame and at most 512 KiB of data for a super-packet';

/** The parameters `size:` and `gso:` that every open-loop source has. */
export const sizeParameters = {
  size: {
    type: {
      oneOf: [
        'size',
        { choice: ['imix'] },
        {
          listOf: {
            record: {
              size: {
                type: 'size',
                required: true,
                minimum: 1,
                maximum: LONGEST_PACKET_BYTES,
                boundsHint,
                help: 'Packet size.',
              },
              weight: { type: 'number', default: 1, minimum: 0, help: 'Relative frequency.' },
            },
          },
        },
      ],
    },
    default: '1514b',
    minimum: 1,
    maximum: LONGEST_PACKET_BYTES,
    boundsHint,
    help: 'Packet size as tc counts it (with the 14-byte Ethernet header, without FCS); `imix`, or a list of { size, weight } drawn at random.',
  },
  gso: {
    type: 'size',
    minimum: 1,
    maximum: LONGEST_PACKET_BYTES,
    boundsHint,
    help: 'Payload of a segment: each packet is then a super-packet that the network card cuts, of `size` bytes with the headers of all its segments.',
  },
} as const satisfies Record<string, Parameter>;

/** Draws packet sizes: fixed, or from a weighted list. */
export interface SizeSource {
  /** Mean over many draws (bytes). */
  readonly meanBytes: number;
  /** The size where all are equal; 0: ask {@link next}. */
  readonly fixedBytes: number;
  next(): number;
}

/** Builds the size source of the checked `size` value. */
export function sizeSource(values: Values, random: RandomStream): SizeSource {
  const size = values.size as number | 'imix' | readonly WeightedSize[];
  if (typeof size === 'number') return { meanBytes: size, fixedBytes: size, next: () => size };
  const mix = size === 'imix' ? IMIX : size;
  const total = mix.reduce((sum, entry) => sum + entry.weight, 0);
  invariant(total > 0, 'a packet-size mix needs a positive weight');
  const bounds: number[] = [];
  let upTo = 0;
  for (const entry of mix) {
    upTo += entry.weight;
    bounds.push(upTo);
  }
  return {
    meanBytes: mix.reduce((sum, entry) => sum + entry.size * entry.weight, 0) / total,
    fixedBytes: 0,
    next(): number {
      const draw = random.uniform() * total;
      let index = 0;
      while (index < mix.length - 1 && draw >= bounds[index]!) index++;
      return mix[index]!.size;
    },
  };
}

/** Tells that sizes drawn at random never repeat. */
export function visitSizes(sizes: SizeSource, pass: RecurrencePass): void {
  if (sizes.fixedBytes === 0) pass.never();
}

/** Problems of `size` that its type does not show: an empty mix, or one without weight. */
export function checkSizes(values: Values): ParameterProblem[] {
  const size = values.size;
  if (!Array.isArray(size)) return [];
  const total = (size as WeightedSize[]).reduce((sum, entry) => sum + entry.weight, 0);
  if (total > 0) return [];
  return [
    {
      path: ['size'],
      expected: 'a list of sizes with a positive total weight',
      received: `${size.length} entries of total weight ${total}`,
    },
  ];
}

/** The segments of a super-packet of `sizeBytes`, which holds the headers of all of them. */
export function segmentsOf(sizeBytes: number, gsoBytes: number, headerBytes: number): number {
  return Math.ceil(sizeBytes / (gsoBytes + headerBytes));
}

/** The sizes that a source may send, each once, ascending (bytes). */
export function possibleSizes(values: Values): number[] {
  const size = values.size as number | 'imix' | readonly WeightedSize[];
  if (typeof size === 'number') return [size];
  const sizes = (size === 'imix' ? IMIX : size).filter(({ weight }) => weight > 0).map((entry) => entry.size);
  return [...new Set(sizes)].sort((a, b) => a - b);
}
