import { describe, expect, it } from 'vitest';
import { meterKinds } from '../../models/generic/kinds.ts';
import type { ModelDeclaration, Values } from '../../models/model.ts';
import { modelsOf } from '../../models/registry.ts';
import { burstOf, itObeysTheQdiscLaws, run } from '../models/linux/qdisc-laws.ts';
import { sampleValues } from './sample-values.ts';

/** What goes together, where a declaration cannot tell. */
const more: Readonly<Record<string, Values>> = {
  tbf: { limit: 100_000 },
  police: { rate: 8_000_003, burst: 3000 },
  htb: { default: 0x10010 },
  red: { limit: 30_000, avpkt: 500, min: 3000, max: 9000, burst: 10 },
};

/** A model in each of its modes; most have none. */
function variantsOf(declaration: ModelDeclaration): { readonly name: string; readonly values: Values }[] {
  const { kind, parameters } = declaration;
  const values = sampleValues(declaration, more[kind]);
  const type = parameters.mode?.type;
  if (typeof type !== 'object' || !('choice' in type)) return [{ name: kind, values }];
  return type.choice.map((mode) => ({ name: `${kind}, mode ${mode}`, values: { ...values, mode } }));
}

describe.each([...modelsOf('shaper').values()])('$kind, as every shaper of the registry,', (declaration) => {
  for (const { name, values } of variantsOf(declaration)) {
    itObeysTheQdiscLaws(name, { kind: declaration.kind, values });
  }
});

describe.each(meterKinds)('$kind, as every textbook limiter of packets,', ({ kind, createMeter }) => {
  const declaration = modelsOf('shaper').get(kind)!;
  it.each(variantsOf(declaration))('never lets more out than its own bound: $name', ({ values }) => {
    // Twice the rate in packets of three sizes, after all that may come at once.
    const sources = [
      burstOf(100, 1514),
      { ...burstOf(2000, 836), flow: 2, intervalNs: 418_000, startNs: 1 },
      { ...burstOf(500, 67), flow: 3, intervalNs: 1_700_003, startNs: 2 },
    ];
    const { departures, fates } = run({ kind, values }, sources, { durationNs: 2e9 });
    const meter = createMeter(values, 0);
    let sentBytes = 0;
    for (const { bytes, endNs } of departures) {
      sentBytes += bytes;
      expect(meter.conformsAt(bytes, endNs!)).toBe(endNs);
      meter.spend(bytes, endNs!);
      expect(sentBytes).toBeLessThanOrEqual(meter.boundBytes(endNs!));
    }
    expect(departures.length).toBeGreaterThan(100);
    expect(departures.length).toBeLessThan(fates.length);
  });
});
