import type { ReadBytes, SourceDeclaration, Values } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import { possibleSizes, sizeSource } from '../../models/sources/sizes.ts';
import { randomStream } from '../engine/random.ts';
import type { FlowSpec } from '../scenario/scenario.ts';
import { FULL_FRAME_BYTES, isTcp } from '../tc/lint/finding.ts';

/** Packets of a file that are looked at. */
const LOOKED_AT = 20_000;

/** Sizes of a flow's packets, as the `size:` of a source. */
export type SizeMix = number | 'imix' | readonly { readonly size: number; readonly weight: number }[];

/** The mix of a flow's packet sizes: as its source has it, of the beginning of its file, or full frames of TCP. */
export function sizeMixOf(flow: FlowSpec, readBytes: ReadBytes | undefined): SizeMix {
  const { kind, values } = flow.source;
  if (isTcp(flow)) return FULL_FRAME_BYTES;
  if (values.size !== undefined) return values.size as SizeMix;
  const declaration = modelsOf('source').get(kind) as SourceDeclaration;
  const packets = declaration.create(values, randomStream(1, 'mix'), readBytes);
  const counts = new Map<number, number>();
  for (let i = 0; i < LOOKED_AT && packets.next() < Number.POSITIVE_INFINITY; i++) {
    counts.set(packets.sizeBytes, (counts.get(packets.sizeBytes) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b).map(([size, weight]) => ({ size, weight }));
}

/** Mean of a mix (bytes). */
export function meanOf(size: SizeMix): number {
  return sizeSource({ size } as Values, randomStream(1, 'mix')).meanBytes;
}

/** Mean size of a flow's packets (bytes); a full frame where only its file would tell. */
export function meanSizeBytes(flow: FlowSpec): number {
  const { size } = flow.source.values;
  return isTcp(flow) || size === undefined ? FULL_FRAME_BYTES : meanOf(size as SizeMix);
}

/** Words for a mix: `1,514 B`, `54 to 1514 B`. */
export function mixText(mixes: readonly SizeMix[]): string {
  const sizes = mixes.flatMap((size) => possibleSizes({ size } as Values));
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return least === most ? `packets of ${least} B` : `packets of ${least} to ${most} B as the flows mix them`;
}
