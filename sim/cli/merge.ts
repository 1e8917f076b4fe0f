import { join, resolve } from 'node:path';
import { EXIT } from '../output/exit-codes.ts';
import { Journal } from '../sweep/journal.ts';
import { JOURNAL_NAME } from '../sweep/journal-format.ts';
import { gapsOf, joinShards, readShards } from '../sweep/merge.ts';
import { type Command, usageFailure } from './command.ts';
import { noteInput } from './input-files.ts';
import { say } from './streams.ts';
import { withSweepFaults } from './sweep-faults.ts';
import { finishSweep, refuseInputsIn } from './sweep-finish.ts';
import { VERSION } from './version.ts';

/** Gaps that are named. */
const NAMED_GAPS = 10;

/** `sim merge`. */
export const merge: Command = {
  options: {
    out: { kind: 'text', help: 'Folder for the joined journal and the results' },
    force: { kind: 'flag', help: 'Begin anew although --out has a journal' },
    json: { kind: 'flag', help: 'Print the result as one JSON document' },
  },
  run: (args) =>
    withSweepFaults(async () => {
      const out = args.text('out');
      const folders = args.texts('folders');
      if (out === undefined) throw usageFailure('expected --out DIR', 'sim merge part-1 part-2 --out whole');
      if (folders.some((folder) => resolve(folder) === resolve(out))) {
        throw usageFailure(`${out} is one of the parts`, 'choose another folder with --out');
      }
      for (const folder of folders) noteInput(join(folder, JOURNAL_NAME));
      refuseInputsIn(out);
      const startMs = performance.now();
      const shards = readShards(folders);
      const journal = await Journal.open(out, shards.header, args.flag('force') ? 'force' : 'new');
      try {
        for (const { path, torn } of shards.parts)
          if (torn) say(`sim: ${path}: the last line is torn off and left out`);
        await joinShards(shards, journal);
        const run = { wallSeconds: (performance.now() - startMs) / 1000, version: VERSION, node: process.version };
        const exitCode = await finishSweep({ out, journal, edges: undefined, run, json: args.flag('json') });
        const gaps = gapsOf(journal);
        if (gaps.length === 0) return exitCode;
        const more = gaps.length - NAMED_GAPS;
        const named = [...gaps.slice(0, NAMED_GAPS), ...(more > 0 ? [`and ${more} more gaps`] : [])];
        say(`sim: these points are missing: ${named.join(', ')}`);
        say(`  hint: sim sweep ${shards.header.head.scenario.file} … --out ${out} --resume runs them`);
        return EXIT.invalid;
      } finally {
        await journal.close();
      }
    }),
};
