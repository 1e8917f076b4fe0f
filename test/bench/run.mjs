// Benchmarks: the engine against a bare C program of the same workload, the event queue alone, memory and start-up.
// Run with `npm run bench [name…]`; nothing here is part of the tests.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { COMPILER_FLAGS } from '../../sim/compiler.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'shaperlab-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const ROUNDS = 5;

await build({
  entryPoints: { workloads: join(here, 'workloads.ts'), hold: join(here, 'hold.ts'), grid: join(here, 'grid.ts') },
  outdir: scratch,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const spread = (values, digits = 2) =>
  `median ${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** Runs a program and gives its standard output; fails loudly. */
function output(command, ...args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

/** Runs a script as the command line runs the simulator. */
const script = (name, ...args) => output(process.execPath, ...COMPILER_FLAGS, join(scratch, name), ...args.map(String));
const workload = (...args) => JSON.parse(script('workloads.js', ...args));

function yardstick() {
  const program = join(scratch, 'yardstick');
  if (existsSync(program)) return program;
  const { status } = spawnSync('gcc', ['-O3', '-march=native', '-o', program, join(here, 'yardstick.c')]);
  return status === 0 ? program : undefined;
}

const benchmarks = {
  standard() {
    const program = yardstick();
    if (program === undefined) console.log('  no gcc here: without the C program there is no ratio');
    for (const [label, mode, kernel] of [
      ['fixed point', 'ns', '6.12'],
      ['1024 ns ticks', 'tick', '2.6.25'],
    ]) {
      const ours = [];
      const theirs = [];
      const repeating = [];
      for (let round = 0; round < ROUNDS; round++) {
        if (program !== undefined) {
          theirs.push(
            Number(
              /Mpkt\/s=([\d.]+)/.exec(output(program, mode, '60', '836', '950e6', '555e6', '1e9', '1000', '10'))[1],
            ),
          );
        }
        const full = workload('standard', kernel, 60, 'full');
        ours.push(full.packets / full.seconds / 1e6);
        const short = workload('standard', kernel, 60, 'short');
        repeating.push(short.packets / short.seconds / 1e6);
      }
      console.log(`  ${label}: ${spread(ours)} million packets a second, every event run`);
      console.log(`    with whole periods left out: ${spread(repeating, 0)}`);
      if (theirs.length > 0) {
        console.log(
          `    C: ${spread(theirs)}; ratio of the medians ${(median(ours) / median(theirs)).toFixed(3)}, every event run`,
        );
      }
    }
  },

  /** The same model in simjs and SimPy, where they are installed: every event run, so many simulated seconds a round. */
  others() {
    const seconds = 2;
    const programs = [
      ['simjs', process.execPath, join(here, 'simjs.mjs'), 'npm install --no-save simjs@2.0.3, or NODE_PATH'],
      ['SimPy', '/usr/bin/python3', join(here, 'simpy_workload.py'), 'apt-get install python3-simpy'],
    ];
    const ours = () => workload('standard', '6.12', seconds, 'full');
    for (const [name, command, file, howToInstall] of programs) {
      const { status } = spawnSync(command, [file, '0']);
      if (status !== 0) {
        console.log(`  ${name} is not installed here: ${howToInstall}`);
        continue;
      }
      const ratios = [];
      const rates = [];
      for (let round = 0; round < ROUNDS; round++) {
        const theirs = JSON.parse(output(command, file, String(seconds)));
        const own = ours();
        if (theirs.packets !== own.packets || theirs.received !== own.received) {
          throw new Error(`${name} models something else: ${JSON.stringify([theirs, own])}`);
        }
        rates.push(theirs.packets / theirs.seconds / 1e6);
        ratios.push(theirs.seconds / own.seconds);
      }
      console.log(`  ${name}: ${spread(rates, 3)} million packets a second, the same packets received`);
      console.log(`    shaperlab is ${spread(ratios, 1)} times as fast, in pairs`);
    }
  },

  /** The whole command for 60 simulated seconds, start-up and all, against the whole C program. */
  whole() {
    const program = yardstick();
    const file = join(scratch, 'standard.yaml');
    writeFileSync(file, script('workloads.js', 'standard', '6.12', '60', 'scenario'));
    const time = (command, ...args) => {
      const begin = process.hrtime.bigint();
      output(command, ...args);
      return Number(process.hrtime.bigint() - begin) / 1e6;
    };
    const rounds = Array.from({ length: ROUNDS }, () => ({
      theirs:
        program === undefined ? undefined : time(program, 'ns', '60', '836', '950e6', '555e6', '1e9', '1000', '10'),
      usual: time(process.execPath, join(root, 'sim/bin.mjs'), 'run', file),
      full: time(process.execPath, join(root, 'sim/bin.mjs'), 'run', file, '--no-fast-forward'),
    }));
    const told = (name) =>
      spread(
        rounds.map((round) => round[name]),
        0,
      );
    console.log(`  sim run: ${told('usual')} ms; with --no-fast-forward: ${told('full')} ms`);
    if (program === undefined) return;
    const ratio = (name) =>
      spread(
        rounds.map((round) => round[name] / round.theirs),
        2,
      );
    console.log(
      `  C program: ${told('theirs')} ms; ratio in pairs ${ratio('usual')}; every event run ${ratio('full')}`,
    );
  },

  grid() {
    const run = (how) => JSON.parse(script('grid.js', how));
    const full = run('full');
    const short = run('short');
    const equal = full.figures === short.figures;
    console.log(
      `  12 sizes × 12 rates, 60 simulated seconds each: ${full.seconds.toFixed(1)} s, with periods left out ${short.seconds.toFixed(1)} s`,
    );
    console.log(
      `    ${(full.seconds / short.seconds).toFixed(1)} times as fast, figures ${equal ? 'equal' : 'DIFFERENT'}`,
    );
  },

  tcp() {
    const one = Array.from({ length: ROUNDS }, () => workload('tcp', '6.12', 20)).map(
      ({ packets, seconds }) => packets / seconds / 1e6,
    );
    const many = Array.from({ length: ROUNDS }, () => workload('manyFlows', '6.12', 20)).map(
      ({ packets, seconds }) => packets / seconds / 1e6,
    );
    console.log(`  one bulk flow, 1 Gbit/s, 20 ms: ${spread(one)} million segments a second`);
    console.log(`  1,000 bulk flows through 1,000 HTB leaves: ${spread(many)} million segments a second`);
    console.log(`  cost of a segment among many: ${(median(one) / median(many)).toFixed(2)} times that of one alone`);
  },

  queue() {
    for (const pending of [3, 10, 1000, 100_000]) {
      const rates = Array.from({ length: ROUNDS }, () => Number(script('hold.js', pending)));
      console.log(`  ${pending} pending events: ${spread(rates)} million events a second`);
    }
  },

  memory() {
    const short = workload('standard', '6.12', 10).peakMebibytes;
    const long = workload('standard', '6.12', 600).peakMebibytes;
    console.log(
      `  peak memory: ${short.toFixed(1)} MiB for 10 simulated seconds, ${long.toFixed(1)} MiB for 600 (${((100 * long) / short - 100).toFixed(1)} %)`,
    );
  },

  start() {
    const time = (args) => {
      const begin = process.hrtime.bigint();
      output(process.execPath, ...args);
      return Number(process.hrtime.bigint() - begin) / 1e6;
    };
    const bare = [];
    const validate = [];
    for (let round = 0; round < 2 * ROUNDS; round++) {
      bare.push(time(['-e', '0']));
      validate.push(time([join(root, 'sim/bin.mjs'), 'validate', join(root, 'scenarios/htb-borrowing.yaml')]));
    }
    console.log(
      `  node -e 0: ${spread(bare, 0)} ms; sim validate: ${spread(validate, 0)} ms; ratio ${(median(validate) / median(bare)).toFixed(2)}`,
    );
  },
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
  if (benchmarks[name] === undefined) {
    console.error(`no benchmark called ${name}; there are ${Object.keys(benchmarks).join(', ')}`);
    process.exit(2);
  }
  console.log(name);
  benchmarks[name]();
}
