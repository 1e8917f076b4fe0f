import { applyCommand, setQueueLength } from './command.ts';
import type { CommandPlace } from './command-place.ts';
import { TcFault, type TcMessage, TcTree } from './model.ts';
import { WAY_OUT } from './recorder.ts';
import { readShell, type ShellCommand, type SkippedPart } from './shell.ts';
import type { ShellWord } from './shell-expand.ts';
import { Words } from './words.ts';

/** What stands before tc on a command line and runs it. */
const WRAPPERS = new Set([
  'sudo',
  'doas',
  'exec',
  'command',
  'builtin',
  'nice',
  'ionice',
  'env',
  'time',
  'nohup',
  'timeout',
]);
const REMOTE = new Set([
  'ip',
  'nsenter',
  'docker',
  'podman',
  'lxc',
  'ssh',
  'chroot',
  'busybox',
  'kubectl',
  'vcmd',
  'himage',
]);
const VERBS =
  /^(?:a(?:dd?)?|c(?:h(?:a(?:n(?:ge?)?)?)?)?|r(?:e(?:p(?:l(?:a(?:ce?)?)?)?)?)?|link|d(?:e(?:l(?:e(?:te?)?)?)?)?|s(?:h(?:ow?)?)?|l(?:s|st|ist)?)$/;
const OBJECTS = /^(?:q|qd|qdi|qdis|qdisc|c|cl|cla|clas|class|f|fi|fil|filt|filte|filter)$/;
const BATCH_LINE = /^\s*(?:qdisc|class|filter)\s+(?:add|change|replace|link|del|delete)\s/;
/** A line of `set -x`: `+ tc …`, `++ tc …`, `+ script.sh:12: tc …`. */
const TRACE_LINE = /^\++\s*(?:\(?[\w./-]+:\d+\)?:?\s+)?(?=\S)/;
/** A prompt in front of a command that was copied from a terminal. */
const PROMPT = /^(?:\[?[\w.-]+@[^\s\]$#]*\]?[^\s$#]*\s?[$#]|[$%])\s+/;

/** What a script sets up, and what there is to say of it. */
export interface ScriptReading {
  readonly tree: TcTree;
  readonly messages: TcMessage[];
  /** tc commands that change something, understood or not. */
  readonly commands: number;
}

/** Reads a script, a batch file or a trace; nothing is executed. */
export function readScript(text: string, variables: Readonly<Record<string, string>>): ScriptReading {
  const reader = new ScriptToTree();
  const { commands, skipped, unused } = readShell(prepare(text), variables);
  reader.unused(unused);
  for (const command of commands) reader.command(command);
  reader.skipped(skipped);
  reader.messages.sort((a, b) => a.line - b.line);
  reader.tellWayOut();
  return reader;
}

/** Turns traces, terminal copies and batch files into plain script lines, one for one, so that line numbers stay. */
function prepare(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const isTrace = lines.some((line) => TRACE_LINE.test(line) && /(?:^|[\s/])tc\s/.test(line));
  const isScript = lines.some((line) => /^[^#]*(?:^|[\s/;&|"'`$({])(?:tc|TC)\b/.test(line));
  const pasted = !isScript && lines.some((line) => /^#\s+(?:\S*\/)?tc\s+\S/.test(line));
  return lines
    .map((line) => {
      if (isTrace) return TRACE_LINE.test(line) ? traced(line.replace(TRACE_LINE, '')) : '';
      if (pasted) return line.replace(/^#\s+(?=(?:\S*\/)?tc\s)/, '');
      if (BATCH_LINE.test(line)) return `tc ${line.trimStart()}`;
      return line.replace(PROMPT, '');
    })
    .join('\n');
}

/** A traced line is one command with everything expanded: keywords and dollars mean nothing there. */
function traced(command: string): string {
  return /^(?:for|case|select|if|while|until|function|\(\(|\[|'\[')(?:\s|$)/.test(command) ? '' : command;
}

class ScriptToTree implements ScriptReading {
  readonly tree = new TcTree();
  readonly messages: TcMessage[] = [];
  commands = 0;
  readonly #needsWayOut = new Set<TcMessage>();
  readonly #toldUnknown = new Set<string>();
  #toldFirewall = false;

  command(command: ShellCommand): void {
    const { words } = command;
    const first = words[0]?.text ?? '';
    if (/^(?:ip|ifconfig)$/.test(first) || (first === 'sudo' && /^(?:ip|ifconfig)$/.test(words[1]?.text ?? ''))) {
      if (
        this.#link(
          words.map((word) => word.text),
          command.line,
        )
      )
        return;
    }
    if (/^(?:ip6?tables|nft)$/.test(first) || (first === 'sudo' && /^(?:ip6?tables|nft)$/.test(words[1]?.text ?? ''))) {
      this.#firewall(words, command.line);
      return;
    }
    const at = tcPosition(words);
    const missing = words[0]?.unknown;
    if (missing !== undefined && !/tc$/.test(first) && (at === 0 || (at === undefined && first === ''))) {
      this.#unknownCommand(command.line, missing, at === 0);
      if (at === undefined) return;
    }
    if (at === undefined) {
      if (
        !/^(?:echo|printf|logger|:|#)$/.test(first) &&
        words.some((word) => /(?:^|\s)tc\s+(?:qdisc|class|filter)\s/.test(word.text))
      ) {
        this.#leftOut(command.line, `${first} is given a tc command as text, which is not interpreted`);
      }
      return;
    }
    this.#tc(words.slice(at + 1), words.slice(0, at), command);
  }

  /** Says once for each reason that nobody knows which command a line runs. */
  #unknownCommand(line: number, reason: string, isTc: boolean): void {
    const text = isTc ? `taken for a tc command: ${reason}` : `not read, as nobody knows the command: ${reason}`;
    if (this.#toldUnknown.has(text)) return;
    this.#toldUnknown.add(text);
    const hint = isTc
      ? 'write tc in its place, or set it to tc at the head of the script'
      : 'write its value at the head of the script (NAME=value), or import with --set NAME=value';
    this.#say(line, 'warning', text, hint);
  }

  /** Says what could not be interpreted: the way out once, the lines each time. */
  skipped(parts: readonly SkippedPart[]): void {
    for (const part of parts) {
      const many = part.tcLines.length === 1 ? 'the tc command' : `${part.tcLines.length} tc commands`;
      const at = part.tcLines.length > 0 ? ` (line ${ranges(part.tcLines)})` : '';
      if (part.sort === 'fault')
        this.#say(part.line, 'error', `expected ${part.name}`, 'the line is read as if it stood there');
      else if (part.sort === 'loop')
        this.#leftOut(part.line, `the "${part.name}" loop is not interpreted; left out: ${many}${at}`);
      else if (part.sort === 'branch')
        this.#leftOut(part.line, `"${part.name}" is not interpreted; left out: ${many}${at}`);
      else if (part.sort === 'function')
        this.#leftOut(part.line, `the function ${part.name} is not interpreted; left out: ${many}${at}`);
      else if (part.sort === 'call')
        this.#leftOut(part.line, `the call of the function ${part.name} is not interpreted`);
      else if (part.sort === 'program')
        this.#leftOut(part.line, `"${part.name}" is not interpreted; what it sets up is left out`);
      else if (part.sort === 'test')
        this.#leftOut(part.line, 'the tc command depends on a test, which is not interpreted; left out');
      else if (part.sort === 'alternative')
        this.#say(part.line, 'info', 'left out, as it runs only if the command before it fails');
      else
        this.#say(
          part.line,
          'warning',
          `the script ends here (${part.name}); ${many} below never run${part.tcLines.length === 1 ? 's' : ''}${at}`,
        );
    }
  }

  /** Says which of the variables given from outside change nothing. */
  unused(variables: readonly { readonly name: string; readonly overwritten: boolean }[]): void {
    for (const { name, overwritten } of variables) {
      const why = overwritten ? 'the script sets it itself' : 'nothing that is read of the script uses it';
      this.#say(1, 'warning', `the value given for ${name} changes nothing: ${why}`);
    }
  }

  /** Puts the way out with the first message that needs it. */
  tellWayOut(): void {
    const at = this.messages.findIndex((message) => this.#needsWayOut.has(message));
    if (at >= 0) this.messages[at] = { ...this.messages[at]!, hint: WAY_OUT };
  }

  #leftOut(line: number, text: string): void {
    const message = { line, severity: 'error', text } as const;
    this.messages.push(message);
    this.#needsWayOut.add(message);
  }

  #say(line: number, severity: TcMessage['severity'], text: string, hint?: string): void {
    this.messages.push(hint === undefined ? { line, severity, text } : { line, severity, text, hint });
  }

  #tc(given: readonly ShellWord[], before: readonly ShellWord[], command: ShellCommand): void {
    let namespace = namespaceOf(before);
    let batch: string | undefined;
    let words = given;
    while (words[0]?.text.startsWith('-') === true) {
      const option = words[0].text.replace(/^--?/, '-');
      if (/^-b(?:a(?:t(?:c(?:h)?)?)?)?$/.test(option)) {
        const file = words[1]?.text;
        batch = file === undefined || file.startsWith('-') ? '-' : file;
        words = words.slice(file === undefined || (file.startsWith('-') && file !== '-') ? 1 : 2);
      } else if (/^-n(?:etns)?$/.test(option)) {
        namespace = words[1]?.text ?? '';
        words = words.slice(2);
      } else words = words.slice(1);
    }
    if (batch !== undefined) this.#batch(batch, command, namespace);
    else this.#apply(words, command.line, namespace);
  }

  #batch(file: string, command: ShellCommand, namespace: string): void {
    if (command.input.length === 0) {
      if (file === '-' || command.piped)
        this.#leftOut(command.line, 'tc -batch reads from a pipe, which is not interpreted');
      else
        this.#say(
          command.line,
          'error',
          `tc -batch reads ${file}, which is not opened`,
          `import that file: sim import tc ${file}`,
        );
      return;
    }
    for (const { line, text } of command.input) {
      const { commands } = readShell(text);
      for (const inner of commands) {
        // Lines of a batch were given their "tc" with the rest of the script.
        const words = inner.words[0]?.text === 'tc' ? inner.words.slice(1) : inner.words;
        this.#apply(words, line + inner.line - 1, namespace);
      }
    }
  }

  #apply(words: readonly ShellWord[], line: number, namespace: string): void {
    const place: CommandPlace = { line, namespace, warn: (text, hint) => this.#say(line, 'warning', text, hint) };
    const texts = words.map((word) => word.text);
    if (/^(?:s|sh|sho|show|l|ls|lst|list|get|help|monitor)$/.test(texts[1] ?? 'show')) {
      if (words[0]?.unknown === undefined) return;
    }
    this.commands++;
    const unknown = words.find((word) => word.unknown !== undefined);
    if (unknown !== undefined) {
      const way = /is set nowhere|is an argument/.test(unknown.unknown!)
        ? 'write its value at the head of the script (NAME=value), or import with --set NAME=value'
        : undefined;
      if (way !== undefined) this.#say(place.line, 'error', `left out: ${unknown.unknown}`, way);
      else this.#leftOut(place.line, `left out: ${unknown.unknown}`);
      return;
    }
    try {
      const text = applyCommand(this.tree, new Words(texts), place);
      if (text !== '') this.#say(place.line, 'info', text);
    } catch (error) {
      if (!(error instanceof TcFault)) throw error;
      this.#say(place.line, error.severity, error.message, error.hint);
    }
  }

  /** `ip link set dev eth0 txqueuelen 100`, `ifconfig eth0 txqueuelen 100`. */
  #link(words: readonly string[], line: number): boolean {
    const at = words.findIndex((word) => word === 'txqueuelen' || word === 'qlen');
    const length = words[at + 1];
    if (at < 0 || length === undefined) return tcPosition(words.map((text) => ({ text, line }))) === undefined;
    const named = words.indexOf('dev');
    const device = named >= 0 ? words[named + 1] : words[words.indexOf('ifconfig') + 1];
    const linkSet = words.indexOf('set');
    const name = named < 0 && linkSet >= 0 ? words[linkSet + 1] : device;
    try {
      this.#say(line, 'info', setQueueLength(this.tree, name ?? '', length));
    } catch (error) {
      if (!(error instanceof TcFault)) throw error;
      this.#say(line, 'error', error.message, error.hint);
    }
    return true;
  }

  #firewall(words: readonly ShellWord[], line: number): void {
    if (this.#toldFirewall || !words.some((word) => /^(?:MARK|CLASSIFY|CONNMARK|mark|DSCP)$/.test(word.text))) return;
    this.#toldFirewall = true;
    this.#say(
      line,
      'warning',
      'firewall rules are not read',
      'give the flows the mark, tos or class that they would get: mark: 6',
    );
  }
}

/** Index of the word that runs tc, if the command does. */
function tcPosition(words: readonly ShellWord[]): number | undefined {
  const isTc = (word: ShellWord | undefined): boolean => word !== undefined && /^(?:\S*\/)?tc$/.test(word.text);
  if (isTc(words[0])) return 0;
  const first = words[0]?.text.replace(/^.*\//, '') ?? '';
  if (words[0]?.unknown !== undefined) {
    // A variable that nobody sets may stand for sudo, where tc follows at once, or for tc itself.
    if (isTc(words[1])) return 1;
    const at = words.findIndex((word, i) => i > 0 && !word.text.startsWith('-'));
    if (first === '' && OBJECTS.test(words[at]?.text ?? '') && VERBS.test(words[at + 1]?.text ?? '')) return 0;
  }
  if (!WRAPPERS.has(first) && !REMOTE.has(first)) return undefined;
  const at = words.findIndex(
    (word, i) => isTc(word) && (OBJECTS.test(words[i + 1]?.text ?? '') || (words[i + 1]?.text ?? '').startsWith('-')),
  );
  return at < 0 ? undefined : at;
}

function namespaceOf(before: readonly ShellWord[]): string {
  const texts = before.map((word) => word.text);
  const at = texts.indexOf('netns');
  if (at >= 0 && texts[at + 1] === 'exec') return texts[at + 2] ?? '';
  const container = texts.findIndex((text) => text === 'docker' || text === 'podman');
  return container >= 0 ? (texts.at(-1) ?? '') : '';
}

/** `3, 5 to 8` for [3, 5, 6, 7, 8]. */
function ranges(lines: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (lines[end + 1] === lines[end]! + 1) end++;
    parts.push(end === i ? `${lines[i]}` : `${lines[i]} to ${lines[end]}`);
    i = end + 1;
  }
  return parts.join(', ');
}
