import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as registry from '../../../models/registry.ts';
import type { PointResult } from '../../../sim/run/result.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { type LoadedScenario, loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { bytesBeside } from '../../../sim/sweep/named-files.ts';
import { isExported } from '../../../sim/tc/device-plan.ts';
import { exportTc, type TcExport } from '../../../sim/tc/export.ts';
import { importTc, type TcImport } from '../../../sim/tc/import.ts';
import type { LintFinding } from '../../../sim/tc/lint/finding.ts';
import { lint } from '../../../sim/tc/lint/lint.ts';
import type { TcMessage } from '../../../sim/tc/model.ts';

const ROOT = new URL('../../../', import.meta.url);

/** Text of a file of the project. */
export function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

/** Names of the files in a folder of the project. */
export function filesIn(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT)).sort();
}

/** A scenario of the project, checked. */
export function scenarioOf(yaml: string): LoadedScenario {
  return loadScenario(yaml, 'test.yaml', {
    registry,
    readText: (name) => textOf(`scenarios/${name}`),
    readBytes: bytesBeside(fileURLToPath(new URL('scenarios/test.yaml', ROOT))),
  });
}

/** A scenario exported; hops that name no device get eth0, eth1 and so on. */
export function exported(loaded: LoadedScenario): TcExport {
  const unnamed = loaded.first.hops.filter((hop) => hop.device === undefined && isExported(hop));
  const named = Object.fromEntries(unnamed.map(({ name }, i) => [name, `eth${i}`]));
  return exportTc(loaded.pointAt(0), loaded.document, { named });
}

/** A script imported, which must give a scenario. */
export function imported(script: string): TcImport & { readonly yaml: string; readonly loaded: LoadedScenario } {
  const result = importTc(script, 'test.sh');
  if (result.yaml === undefined)
    throw new Error(result.messages.map(({ line, text }) => `${line}: ${text}`).join('\n'));
  return { ...result, yaml: result.yaml, loaded: scenarioOf(result.yaml) };
}

/** The hop of that name in an imported script, as the document has it. */
export function hopOf(script: string, name = 'eth0'): Record<string, unknown> {
  const hops = imported(script).document?.hops as Record<string, Record<string, unknown>>;
  return hops[name]!;
}

/** Messages that are no mere explanation. */
export function complaints(messages: readonly TcMessage[]): string[] {
  return messages.filter(({ severity }) => severity !== 'info').map(({ line, text }) => `${line}: ${text}`);
}

/** The first point simulated. */
export function ran(loaded: LoadedScenario): PointResult {
  return simulate(loaded.pointAt(0), { buckets: 0, readBytes: loaded.readBytes });
}

/** Findings of a script with the rules and the lines of the script. */
export function lintOf(script: string): { rule: string; line: number | undefined; finding: LintFinding }[] {
  const { loaded, lineOf } = imported(script);
  return lint(loaded.first, loaded.document, { imported: true }).map((finding) => ({
    rule: finding.rule,
    line: lineOf(finding.path),
    finding,
  }));
}
