import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { Failure } from '../output/failure.ts';
import { FileFault, SweepFault, type SweepFaultKind } from '../sweep/sweep-fault.ts';
import { fileFailure } from './files.ts';

const EXIT_CODES: Readonly<Record<SweepFaultKind, ExitCode>> = {
  usage: EXIT.usage,
  invalid: EXIT.invalid,
  trouble: EXIT.trouble,
};

/** Runs what belongs to a sweep, and turns what stands in its way into a message with an exit code. */
export async function withSweepFaults<T>(doing: () => T | Promise<T>): Promise<T> {
  try {
    return await doing();
  } catch (error) {
    if (error instanceof SweepFault) throw new Failure(EXIT_CODES[error.kind], error.message, error.hint);
    if (error instanceof FileFault) throw fileFailure(error.cause, error.doing, error.path);
    throw error;
  }
}
