import { madeHops, mergeKept, readKept } from './kept-settings.ts';
import type { TcMessage, TcTree } from './model.ts';
import { WAY_OUT } from './recorder.ts';
import { translate } from './scenario-document.ts';
import type { Remark } from './scenario-qdisc.ts';
import { readScript } from './script.ts';
import { withoutMarkCharacters } from './shell-variables.ts';
import { readShown } from './show.ts';
import { type Comment, writeYaml } from './yaml-text.ts';

/** What an import gives. */
export interface TcImport {
  /** The scenario as YAML with comments; undefined where nothing can be simulated. */
  readonly yaml: string | undefined;
  /** The same as plain data. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
  /** In the order of the lines. */
  readonly messages: readonly TcMessage[];
  /** Line of the script that a place of the document (dotted path) comes from. */
  lineOf(path: readonly string[]): number | undefined;
}

/** Settings of an import. */
export interface TcImportOptions {
  /** Values of shell variables that the script takes from outside. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Largest input that is read (characters). */
const LARGEST = 4_000_000;

/**
 * Turns a tc script, a batch file, a `set -x` trace or what `tc … show` prints into a scenario. Nothing is executed
 * and no other file is read.
 *
 * @param fileName for the title and the comments
 */
export function importTc(text: string, fileName: string, options: TcImportOptions = {}): TcImport {
  if (text.length > LARGEST) return nothing([error(1, `the file is larger than ${LARGEST} characters`)]);
  const plain = withoutMarkCharacters(text);
  const { tree, messages } = readShown(plain) ?? readScript(plain, options.variables ?? {});
  return importTree(tree, messages, text, fileName);
}

function importTree(tree: TcTree, read: readonly TcMessage[], text: string, fileName: string): TcImport {
  const kept = readKept(text);
  const translated = translate(tree, kept === undefined ? undefined : madeHops(kept));
  const { hops, flows, duration, warmup } = translated.document;
  const lost = translated.remarks.filter((remark) => remark.lost).map(lossOf);
  const messages = [...read, ...translated.messages, ...lost].sort((a, b) => a.line - b.line);
  if (Object.keys(hops).length === 0 && kept === undefined) {
    const hasMistakes = messages.some((message) => message.severity === 'error');
    const read =
      'commands such as tc qdisc add dev eth0 root handle 1: htb default 10 are read, and what tc qdisc show and tc class show print';
    const isTold = messages.some((message) => message.hint === WAY_OUT);
    const hint = isTold ? read : `${read}; for a program that calls tc, ${WAY_OUT}`;
    return nothing([
      ...messages,
      error(1, hasMistakes ? 'nothing is left to simulate' : 'no tc command that sets anything up was found', hint),
    ]);
  }
  const title = `Imported from ${fileName}`;
  const document = kept === undefined ? { title, duration, warmup, hops, flows } : mergeKept(kept, hops);
  const comments = kept === undefined ? translated.remarks.map(commentOf) : [];
  const heading = kept === undefined ? headingOf(fileName) : [];
  return {
    yaml: writeYaml(document, heading, comments),
    document,
    messages,
    lineOf: (path) => lineOf(translated.lines, path),
  };
}

function headingOf(fileName: string): string[] {
  return [
    `Made from ${fileName} by sim import tc. One flow a leaf is supplied, each offering more than its leaf can take:`,
    'replace them with the traffic that you have. Kernel and tc are the newest; set kernel: and tc: for others.',
  ];
}

function nothing(messages: readonly TcMessage[]): TcImport {
  return { yaml: undefined, document: undefined, messages, lineOf: () => undefined };
}

function error(line: number, text: string, hint?: string): TcMessage {
  return hint === undefined ? { line, severity: 'error', text } : { line, severity: 'error', text, hint };
}

function lossOf({ text, line, hint }: Remark): TcMessage {
  const words = hint ?? 'it stays in the scenario as a comment';
  return { line, severity: 'warning', text: `not imported: ${text}`, hint: words };
}

function commentOf({ path, text, line, lost }: Remark): Comment {
  return { path, text: lost ? `not imported (line ${line}): ${text}` : text };
}

/** The line of the place itself or of the nearest place above it. */
function lineOf(lines: ReadonlyMap<string, number>, path: readonly string[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(path.slice(0, length).join('.'));
    if (line !== undefined) return line;
  }
  return undefined;
}
