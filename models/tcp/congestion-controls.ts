import { invariant } from '../model.ts';
import type { CongestionControl, CongestionDeclaration } from './congestion.ts';
import { cubic } from './cubic.ts';
import type { Jiffies } from './jiffies.ts';
import { reno } from './reno.ts';

/** Every congestion control, one line each; the first is the default. */
export const congestionControls: readonly CongestionDeclaration[] = [cubic, reno];

/** Creates a congestion control by kind. @throws InvariantError for an unknown kind */
export function createCongestionControl(kind: string, jiffies: Jiffies): CongestionControl {
  const declaration = congestionControls.find((control) => control.kind === kind);
  invariant(declaration !== undefined, `no congestion control of kind ${kind}`);
  return declaration.create(jiffies);
}
