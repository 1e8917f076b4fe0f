import { digestBeside } from '../sweep/named-files.ts';
import type { SweepJob } from '../sweep/sweep-job.ts';
import type { ScenarioFile } from './scenario-files.ts';

/** The job that the points of a scenario make; to be asked for when every point was made once. @throws FileFault */
export function jobOf(
  { path, text, overrides, files, captures }: ScenarioFile,
  settings: Pick<SweepJob, 'buckets' | 'receivedSteps' | 'fastForward'>,
): SweepJob {
  const digests = Object.fromEntries([...captures].map((name) => [name, digestBeside(path, name)]));
  const { buckets, receivedSteps, fastForward } = settings;
  return { text, file: path, overrides, files, captures: digests, buckets, receivedSteps, fastForward };
}
