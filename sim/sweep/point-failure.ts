import { CaptureError } from '../../models/captures/capture-error.ts';
import { ScenarioError } from '../scenario/problem.ts';
import type { FailureCause } from './point-line.ts';

/** Says why a point failed, from what was thrown while it was made and run. */
export function failureOf(error: unknown): { readonly text: string; readonly cause: FailureCause } {
  if (error instanceof ScenarioError || error instanceof CaptureError) return { text: error.message, cause: 'invalid' };
  return { text: error instanceof Error ? `${error.name}: ${error.message}` : String(error), cause: 'fault' };
}
