import { genericLimiters } from './generic/limiters.ts';
import { genericShapers } from './generic/shapers.ts';
import { codel } from './linux/codel.ts';
import { bfifo, pfifo, pfifoHeadDrop } from './linux/fifo.ts';
import { fq } from './linux/fq.ts';
import { fqCodel } from './linux/fq-codel.ts';
import { htb } from './linux/htb/declaration.ts';
import { netem } from './linux/netem-settings.ts';
import { pfifoFast } from './linux/pfifo-fast.ts';
import { police } from './linux/police-settings.ts';
import { prio } from './linux/prio.ts';
import { red } from './linux/red.ts';
import { sfq } from './linux/sfq-settings.ts';
import { tbf } from './linux/tbf-settings.ts';
import type {
  Limiter,
  LimiterDeclaration,
  ModelDeclaration,
  ModelRole,
  NestedModel,
  Qdisc,
  QdiscBuilder,
  ShaperDeclaration,
  Surroundings,
} from './model.ts';
import { invariant } from './model.ts';
import { bulk } from './sources/bulk.ts';
import { cbr } from './sources/cbr.ts';
import { curlSource } from './sources/curl.ts';
import { downloadSource } from './sources/download.ts';
import { onOff } from './sources/on-off.ts';
import { poisson } from './sources/poisson.ts';
import { trace } from './sources/trace.ts';
import type { LimiterBuilder } from './sources/transfers.ts';
import { congestionControls } from './tcp/congestion-controls.ts';

/** Every model, one line each. */
const models: readonly ModelDeclaration[] = [
  htb,
  tbf,
  police,
  pfifo,
  bfifo,
  pfifoHeadDrop,
  pfifoFast,
  prio,
  sfq,
  codel,
  fqCodel,
  red,
  fq,
  netem,
  cbr,
  poisson,
  onOff,
  trace,
  ...genericShapers,
  ...genericLimiters,
  ...congestionControls,
  bulk,
  curlSource,
  downloadSource,
];

const byRole = new Map<ModelRole, Map<string, ModelDeclaration>>();
for (const model of models) {
  const kinds = byRole.get(model.role) ?? new Map<string, ModelDeclaration>();
  kinds.set(model.kind, model);
  byRole.set(model.role, kinds);
}

/** All models of a role by kind, in the order of the registry. */
export function modelsOf(role: ModelRole): ReadonlyMap<string, ModelDeclaration> {
  return byRole.get(role) ?? new Map();
}

/** All models. */
export function allModels(): readonly ModelDeclaration[] {
  return models;
}

/** Builds a qdisc and what is nested in it. @throws InvariantError for a kind that the scenario check lets through wrongly. */
export const buildQdisc: QdiscBuilder = (model: NestedModel, surroundings: Surroundings): Qdisc => {
  const declaration = modelsOf('shaper').get(model.kind) as ShaperDeclaration | undefined;
  invariant(declaration !== undefined, `no shaper of kind ${model.kind}`);
  return declaration.create(model.values, surroundings, buildQdisc);
};

/** Builds an application's limiter. @throws InvariantError for a kind that the scenario check lets through wrongly. */
export const buildLimiter: LimiterBuilder = (model: NestedModel): Limiter => {
  const declaration = modelsOf('limiter').get(model.kind) as LimiterDeclaration | undefined;
  invariant(declaration !== undefined, `no limiter of kind ${model.kind}`);
  return declaration.create(model.values);
};
