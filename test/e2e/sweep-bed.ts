import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './sim.ts';

const LAUNCHER = join(ROOT, 'sim/bin.mjs');

/**
 * HTB, curl and Poisson arrivals on one link: `versions` × 4 sizes × 25 rates.
 *
 * @param duration the longer, the more a point has to do
 */
export function mixedScenario(duration: string, versions: readonly string[]): string {
  return `title: HTB, curl and Poisson
seed: 5
duration: ${duration}
vars: { rate: 100mbit, size: 836b, version: "8.6.0" }
hops:
  bridge:
    shaper: htb
    kernel: "2.6.25"
    tc: "2.6.23"
    hz: 1000
    default: "1:20"
    classes:
      "1:2": { rate: 1000mbit }
      "1:10": { parent: "1:2", rate: "\${rate}" }
      "1:20": { parent: "1:2", rate: 50mbit }
    link: { rate: 1gbit, delay: 1ms }
flows:
  steady: { source: poisson, rate: 60mbit, size: "\${size}", via: [bridge], class: "1:10" }
  download: { source: curl, version: "\${version}", limit: 2000000, size: 64KiB, via: [bridge], class: "1:20" }
sweep:
  version: ${JSON.stringify(versions)}
  size: [128b, 836b, 1514b, 600b]
  rate: 10mbit..250mbit/10mbit
`;
}

/** A command that runs beside the test; what it says is gathered. */
export class Running {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  said = '';

  constructor(...words: readonly string[]) {
    this.process = spawn(process.execPath, [LAUNCHER, ...words], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    });
    this.process.stderr!.setEncoding('utf8').on('data', (text) => (this.said += text));
    this.ended = new Promise((resolve) => this.process.on('close', resolve));
  }
}

/** Bytes of a sweep's journal; 0: there is none. */
export function journalBytes(folder: string): number {
  return statSync(join(folder, 'journal.jsonl'), { throwIfNoEntry: false })?.size ?? 0;
}

/** Waits until something holds, or throws after a minute. */
export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; !holds(); i++) {
    if (i === 3000) throw new Error('it never came to that');
    await sleep(20);
  }
}

/** The files of a sweep: all that must not depend on how it was run. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  const result = readFileSync(join(folder, 'result.json'), 'utf8');
  const tables = ['points.jsonl', 'points.csv', 'points.parquet'].map((name) => [
    name,
    readFileSync(join(folder, name), 'latin1'),
  ]);
  return { result: result.replace(/,"run":\{[^}]*\}\}\n$/, ''), ...Object.fromEntries(tables) };
}

/** Indexes of the points of a journal, as often as they stand there. */
export function journalPoints(folder: string): number[] {
  const [, ...lines] = readFileSync(join(folder, 'journal.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line).point as number);
}
