import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LAUNCHER = join(ROOT, 'sim/bin.mjs');

/** A program that takes longer than this hangs (ms). */
const PATIENCE_MS = 50_000;

/** How a command ended. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const WITHOUT_COLOUR = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, SIM_DEBUG: undefined, COLUMNS: '100' };

/** Runs the command line as a user does, in the project's folder. */
export function sim(...words: readonly string[]): Ended {
  return simWith({}, ...words);
}

/** As {@link sim}, with environment variables. */
export function simWith(environment: Readonly<Record<string, string | undefined>>, ...words: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...words], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...WITHOUT_COLOUR, ...environment },
    timeout: PATIENCE_MS,
    maxBuffer: 1 << 28,
  });
  return { exitCode: status, stdout, stderr };
}

/** CPU time that a process has used (ms); on systems that do not tell, the time since `startMs`. */
function cpuMs(pid: number, startMs: number): number {
  try {
    // Fields 14 and 15 of /proc/PID/stat: user and system time in hundredths of a second; the name ends with ') '.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return performance.now() - startMs;
  }
}

/** Starts the command line and interrupts it after so many ms of its own work, however busy the machine is. */
export function simInterrupted(afterMs: number, ...words: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [LAUNCHER, ...words], { cwd: ROOT, env: WITHOUT_COLOUR });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const startMs = performance.now();
  const watch = setInterval(() => {
    if (cpuMs(child.pid!, startMs) < afterMs) return;
    clearInterval(watch);
    child.kill('SIGINT');
  }, 50);
  return new Promise((resolve) => {
    child.on('close', (exitCode) => {
      clearInterval(watch);
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** A folder of its own for files of a test. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'sim-test-'));

  /** The path of a file in it. */
  at(name: string): string {
    return join(this.path, name);
  }

  /** Writes a file and gives its path. */
  write(name: string, content: string | Uint8Array): string {
    writeFileSync(this.at(name), content);
    return this.at(name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A scenario of one HTB class whose rate is `${rate}`. */
export function smallScenario(more = ''): string {
  return `title: One class
duration: 50ms
warmup: 10ms
vars: { rate: 10mbit }
hops:
  wan:
    shaper: htb
    kernel: "6.12"
    default: "1:10"
    classes:
      "1:10": { rate: "\${rate}", burst: 3000b }
    link: { rate: 1gbit }
flows:
  load: { source: cbr, rate: 20mbit, size: 1000b, via: [wan] }
${more}`;
}
