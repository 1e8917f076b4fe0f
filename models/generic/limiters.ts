import type { Limiter, LimiterDeclaration, Values } from '../model.ts';
import { type MeterKind, meterKinds, rateParameter, unitProblems } from './kinds.ts';
import type { Meter } from './meter.ts';

/** An application that asks a {@link Meter} before each piece that it reads. */
class MeteredLimiter implements Limiter {
  readonly #kind: MeterKind;
  readonly #values: Values;
  readonly #pieceBytes: number;
  #meter: Meter;

  constructor(kind: MeterKind, values: Values) {
    this.#kind = kind;
    this.#values = values;
    this.#pieceBytes = values.piece as number;
    this.#meter = kind.createMeter(values, 0);
  }

  start(nowNs: number): void {
    this.#meter = this.#kind.createMeter(this.#values, nowNs);
  }

  allowanceBytes(nowNs: number): number {
    return this.waitNs(nowNs) === 0 ? this.#pieceBytes : 0;
  }

  consumed(bytes: number, nowNs: number): void {
    this.#meter.spend(bytes, nowNs);
  }

  waitNs(nowNs: number): number {
    return this.#meter.conformsAt(this.#pieceBytes, nowNs) - nowNs;
  }

  boundBytes(nowNs: number): number {
    return this.#meter.boundBytes(nowNs);
  }
}

function declare(kind: MeterKind): LimiterDeclaration {
  return {
    kind: kind.kind,
    role: 'limiter',
    summary: `${kind.summary}; kept by an application that reads piece by piece.`,
    parameters: {
      rate: rateParameter,
      ...kind.parameters,
      piece: {
        type: 'size',
        help: 'What the application reads at a time, once so much conforms.',
        default: '16kb',
        minimum: 1,
      },
    },
    counters: {},
    check: (values) => unitProblems(kind, values, 'piece', values.piece as number),
    create: (values) => new MeteredLimiter(kind, values),
  };
}

/** The textbook limiters as an application keeps them. */
export const genericLimiters: readonly LimiterDeclaration[] = meterKinds.map(declare);
