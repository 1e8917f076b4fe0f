import { readClassId, readHandle } from './class-id.ts';
import { TcFault, type TcMessage, type TcOption, type TcTree } from './model.ts';
import { QDISC_OPTIONS, UNKNOWN_QDISCS } from './option-tables.ts';
import { addClass, addQdisc, UNNAMED_DEVICE } from './show-tree.ts';
import { readRate, readSize, readTime } from './words.ts';

type Json = Readonly<Record<string, unknown>>;

const BITS_PER_BYTE = 8;
/** Names of JSON that differ from the command's. */
const RENAMED: Readonly<Record<string, string>> = { lat: 'latency', minburst: 'mtu' };
/** Members that set nothing. */
const PRINTED_ONLY = new Set(['direct_packets_stat', 'ver', 'refcnt', 'level', 'offload', 'seed']);
const TIMES = new Set(['latency', 'target', 'interval', 'ce_threshold']);
const SIZES = new Set(['burst', 'cburst', 'mtu', 'mpu', 'overhead', 'quantum', 'memory_limit', 'min', 'max', 'avpkt']);
const RATES = new Set(['rate', 'ceil', 'peakrate', 'bandwidth']);

/**
 * Reads the JSON that `tc -j qdisc show` and `tc -j class show` print, also several documents one after another.
 * Rates come in bytes a second, times in microseconds (or seconds for netem), `default` as "0x20" or as a decimal number.
 */
export function readShownJson(text: string, tree: TcTree, messages: TcMessage[]): void {
  for (const { line, source } of documents(text)) {
    let parsed: unknown;
    try {
      parsed = JSON.parse(source);
    } catch {
      messages.push({
        line,
        severity: 'error',
        text: 'this is no JSON',
        hint: 'import what tc -j qdisc show prints, unchanged',
      });
      continue;
    }
    for (const entry of Array.isArray(parsed) ? parsed : [parsed]) {
      if (typeof entry !== 'object' || entry === null) continue;
      try {
        put(tree, entry as Json, line, messages);
      } catch (error) {
        if (!(error instanceof TcFault)) throw error;
        messages.push({
          line,
          severity: 'error',
          text: error.message,
          ...(error.hint === undefined ? {} : { hint: error.hint }),
        });
      }
    }
  }
}

/** Splits the text into arrays at top level, so that the outputs of several commands can stand one after another. */
function documents(text: string): { line: number; source: string }[] {
  const found: { line: number; source: string }[] = [];
  let depth = 0;
  let start = 0;
  let line = 1;
  let startLine = 1;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === '\n') line++;
    if (quoted) {
      if (character === '\\') i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '[' || character === '{') {
      if (depth++ === 0) [start, startLine] = [i, line];
    } else if ((character === ']' || character === '}') && --depth === 0)
      found.push({ line: startLine, source: text.slice(start, i + 1) });
    if (depth < 0) depth = 0;
  }
  if (depth > 0) found.push({ line: startLine, source: text.slice(start) });
  return found;
}

function put(tree: TcTree, entry: Json, line: number, messages: TcMessage[]): void {
  const device = tree.device(typeof entry.dev === 'string' ? entry.dev : UNNAMED_DEVICE);
  const parentText = typeof entry.parent === 'string' ? entry.parent : undefined;
  const isClass = typeof entry.class === 'string';
  const kind = String(isClass ? entry.class : entry.kind);
  if (!isClass && typeof entry.kind !== 'string') {
    throw new TcFault(
      'an entry has neither class nor kind',
      'import what tc -j qdisc show and tc -j class show print, unchanged',
    );
  }
  const handle = String(entry.handle ?? entry.classid ?? '');
  if (isClass) {
    if (kind !== 'htb') return;
    const own = (typeof entry.options === 'object' && entry.options !== null ? entry.options : entry) as Json;
    const names = ['rate', 'ceil', 'burst', 'cburst', 'prio', 'quantum', 'mpu', 'overhead', 'linklayer'];
    const options = optionsOf(
      Object.fromEntries(names.filter((name) => own[name] !== undefined).map((name) => [name, own[name]])),
    );
    if (options.rate === undefined)
      throw new TcFault('the class has no rate', 'the output of tc -j class show holds one');
    const parent = parentText === undefined ? undefined : readClassId(parentText);
    addClass(
      device,
      {
        line,
        id: readClassId(handle),
        options,
        unknown: [],
        ...(parent === undefined || parent % 0x10000 === 0 ? {} : { parent }),
      },
      messages,
    );
    return;
  }
  const isIngress = kind === 'ingress' || kind === 'clsact';
  if (kind === 'noqueue' || (entry.root === true && handle === '0:' && kind !== 'htb')) return;
  if (!Object.hasOwn(QDISC_OPTIONS, kind))
    throw new TcFault(`a qdisc of kind "${kind}" cannot be simulated`, UNKNOWN_QDISCS[kind]);
  const parent = isIngress ? 'ingress' : parentText === undefined ? 'root' : readClassId(parentText);
  const options = optionsOf((entry.options ?? {}) as Json);
  addQdisc(
    device,
    { line, kind: isIngress ? 'ingress' : kind, handle: readHandle(handle), parent, options, unknown: [] },
    messages,
  );
}

function optionsOf(json: Json): Record<string, TcOption> {
  const options: Record<string, TcOption> = {};
  for (const [name, value] of Object.entries(json)) {
    if (PRINTED_ONLY.has(name) || value === null || value === false) continue;
    const key = RENAMED[name] ?? name;
    if (RATES.has(key)) {
      const rate = typeof value === 'object' ? (value as Json).rate : value;
      options[key] = readRate(typeof rate === 'number' ? `${rate * BITS_PER_BYTE}bit` : String(rate));
    } else if (TIMES.has(key)) options[key] = readTime(String(value));
    else if (key === 'delay' && typeof value === 'object') Object.assign(options, netemDelay(value as Json));
    else if (key === 'loss-random' && typeof value === 'object')
      options.loss = `${Number((value as Json).loss ?? 0) * 100}%`;
    else if (key === 'priomap' && Array.isArray(value)) options[key] = value.map(Number);
    else if (SIZES.has(key)) options[key] = readSize(String(value));
    else if (typeof value === 'number' || typeof value === 'string' || value === true) options[key] = value;
  }
  return options;
}

/** Delay and jitter of netem come in seconds. */
function netemDelay(delay: Json): Record<string, TcOption> {
  const us = (seconds: unknown): string => `${Math.round(Number(seconds ?? 0) * 1e6)}us`;
  const options: Record<string, TcOption> = { delay: us(delay.delay) };
  if (Number(delay.jitter ?? 0) > 0) options.jitter = us(delay.jitter);
  return options;
}
