import { EXIT } from '../output/exit-codes.ts';
import { runQueueWorker } from '../sweep/queue/queue-worker.ts';
import { type Command, usageFailure } from './command.ts';
import { catchInterrupt } from './interrupt.ts';
import { say } from './streams.ts';
import { withSweepFaults } from './sweep-faults.ts';
import { JOBS_OPTION, jobsOf } from './sweep-options.ts';
import { VERSION } from './version.ts';
import { WORKER_FILE } from './worker-file.ts';

/** `sim worker`. */
export const worker: Command = {
  options: {
    queue: { kind: 'text', help: 'The Redis that the sweep is coordinated at: redis://[user:password@]host[:port]' },
    jobs: JOBS_OPTION,
  },
  run: (args) =>
    withSweepFaults(async () => {
      const url = args.text('queue');
      if (url === undefined) throw usageFailure('expected --queue URL', 'sim worker --queue redis://:password@host');
      const options = { workers: jobsOf(args), workerFile: WORKER_FILE, version: VERSION };
      const signal = catchInterrupt();
      await runQueueWorker(url, { ...options, signal, say: (text) => say(`sim worker: ${text}`) });
      return EXIT.interrupted;
    }),
};
