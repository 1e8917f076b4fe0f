import { applyCommand, setQueueLength } from './command.ts';
import type { CommandPlace } from './command-place.ts';
import { flattenTables } from './hash-tables.ts';
import { TcFault, type TcMessage, TcTree } from './model.ts';
import { WAY_OUT } from './recorder.ts';
import { prepareScript } from './script-text.ts';
import { readShell, type ShellCommand, type SkippedPart } from './shell.ts';
import type { ShellWord } from './shell-expand.ts';
import { nameHandles, restoreRemoved } from './tree-edit.ts';
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
/** A command that sets something up. */
const SETS_UP = /^\s*(?:sudo\s+)?(?:\S*\/)?tc\s+(?:-\S+\s+)*(?:qdisc|class|filter)\s+(?:add|replace|change)\s/m;

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
  const prepared = prepareScript(text);
  const { commands, skipped, unused } = readShell(prepared.text, variables);
  reader.prepared(prepared.typographic);
  reader.unused(unused);
  for (const command of commands) reader.command(command);
  reader.skipped(skipped);
  restoreRemoved(reader.tree, reader.messages);
  for (const device of reader.tree.devices.values()) {
    nameHandles(device);
    flattenTables(device, reader.messages);
  }
  reader.messages.sort((a, b) => a.line - b.line);
  reader.tellWayOut();
  return reader;
}

class ScriptToTree implements ScriptReading {
  readonly tree = new TcTree();
  readonly messages: TcMessage[] = [];
  commands = 0;
  readonly #needsWayOut = new Set<TcMessage>();
  readonly #toldUnknown = new Set<string>();
  readonly #toldFirewall = new Set<string>();

  command(command: ShellCommand): void {
    const { words } = command;
    const first = words[0]?.text ?? '';
    const own = words
      .slice(
        Math.max(
          0,
          words.findIndex(({ text }) => !WRAPPERS.has(text)),
        ),
      )
      .map(({ text }) => text);
    const name = (own[0] ?? '').replace(/^.*\//, '');
    if (/^(?:ip|ifconfig)$/.test(name) && this.#link(own, command.line)) return;
    if (/^(?:modprobe|insmod|rmmod|sysctl|brctl|ethtool)$/.test(name)) {
      const why = name === 'ethtool' ? 'packets are as large as the flows say' : 'a scenario has no need of it';
      this.#say(command.line, 'info', `${own.join(' ').slice(0, 60)}: left out, as ${why}`);
      return;
    }
    if (isFirewall(words)) {
      this.#firewall(words, command.line);
      return;
    }
    if (/^(?:cat|tee)$/.test(name) && command.input.some(({ text }) => SETS_UP.test(text))) {
      const lines = command.input.flatMap(({ line, text }) =>
        text.split('\n').flatMap((each, i) => (SETS_UP.test(each) ? [line + i] : [])),
      );
      this.#say(
        command.line,
        'warning',
        `a file is written here; the tc commands in it are not run (line ${ranges(lines)})`,
        'import them alone',
      );
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
    for (const part of parts)
      this.#skippedPart(part, part.tcLines.length === 1 ? 'the tc command' : `${part.tcLines.length} tc commands`);
  }

  #skippedPart({ line, sort, name, tcLines, onlyDeletes, variable }: SkippedPart, many: string): void {
    const at = tcLines.length > 0 ? ` (line ${ranges(tcLines)})` : '';
    const run = tcLines.length === 1 ? 'runs' : 'run';
    const leftOut = (why: string): void => {
      const text = `${why}; left out: ${many}${at}`;
      // What only takes away and shows would change nothing that is set up later.
      if (onlyDeletes) this.#say(line, 'info', text);
      else if (variable !== undefined && /^\w+$/.test(variable))
        this.#say(line, 'error', text, `import with --set ${variable}=VALUE`);
      else this.#leftOut(line, text);
    };
    if (sort === 'fault') this.#say(line, 'error', `expected ${name}`, 'the line is read as if it stood there');
    else if (sort === 'loop') leftOut(`how often the "${name}" loop runs depends on what only a run knows`);
    else if (sort === 'endless')
      leftOut(name === 'script' ? 'the script goes on for too long' : `the "${name}" loop does not end`);
    else if (sort === 'branch') leftOut(`which way the "${name}" goes depends on what only a run knows`);
    else if (sort === 'call') leftOut(`the function ${name} calls itself too deeply`);
    else if (sort === 'test') leftOut('the tc command depends on a test that only a run decides');
    else if (sort === 'alternative')
      this.#say(line, 'info', 'left out, as it runs only if the command before it fails');
    else if (sort === 'program') this.#program(line, name);
    else if (sort === 'way') {
      const what = name === 'if' || name === 'case' ? `which way the "${name}" goes` : 'whether the command runs';
      this.#say(
        line,
        'warning',
        `${what} depends on what only a run knows; read as if it came to what sets up a root${at}`,
      );
    } else if (sort === 'once')
      this.#say(
        line,
        'warning',
        `the "for" loop is read once: the devices of ${name} are known only to a run`,
        `import with --set ${name}=eth0 for one of them`,
      );
    else if (sort === 'choice') this.#choice(line, name);
    else if (sort === 'uncalled')
      this.#say(
        line,
        onlyDeletes ? 'info' : 'warning',
        `nothing calls the function ${name}; ${many} in it never ${run}${at}`,
      );
    else
      this.#say(
        line,
        onlyDeletes ? 'info' : 'warning',
        `the script ends here (${name}); ${many} below never ${run}${at}`,
      );
  }

  #program(line: number, name: string): void {
    if (/^(?:source|\.)(?: |$)/.test(name))
      this.#say(
        line,
        'warning',
        `"${name}" is not opened`,
        'what it sets can be given with --set NAME=value; tc commands in it are left out',
      );
    else this.#leftOut(line, `"${name}" runs text that only a run knows; what it sets up is left out`);
  }

  #choice(line: number, name: string): void {
    const [variable, value] = name.split('=') as [string, string];
    const what = variable === '@' ? 'the arguments' : /^\d/.test(variable) ? `the argument $${variable}` : variable;
    this.#say(
      line,
      'warning',
      `read as if ${what} were "${value}"`,
      `import with --set ${variable === '@' ? '1' : variable}=… for another`,
    );
  }

  /** Says that quotes and dashes of a word processor were taken for those of a keyboard. */
  prepared(typographic: readonly number[]): void {
    const [first] = typographic;
    if (first === undefined) return;
    const hint = 'write them with the keys of the keyboard: a shell takes others for letters';
    this.#say(
      first,
      'warning',
      `quotes, dashes, blanks or <…> are read as plain ones (line ${ranges(typographic)})`,
      hint,
    );
  }

  /** Says which of the variables given from outside change nothing. */
  unused(variables: readonly string[]): void {
    for (const name of variables)
      this.#say(
        1,
        'warning',
        `the value given for ${name} changes nothing: nothing that is read of the script uses it`,
      );
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
    const named = words.map((word, i) => this.#deviceName(word, words[i - 1]?.text));
    const unknown = named.find((word) => word.unknown !== undefined);
    if (unknown !== undefined) {
      const text = `left out: ${unknown.unknown}`;
      if (unknown.variable === undefined) this.#leftOut(place.line, text);
      else this.#say(place.line, 'error', text, `import with --set ${unknown.variable}=VALUE`);
      return;
    }
    try {
      const text = applyCommand(this.tree, new Words(named.map((word) => word.text)), place);
      if (text !== '') this.#say(place.line, 'info', text);
    } catch (error) {
      if (!(error instanceof TcFault)) throw error;
      this.#say(place.line, error.severity, error.message, error.hint);
    }
  }

  /** A device that nobody knows is called by its variable: one name is as good as another. */
  #deviceName(word: ShellWord, before: string | undefined): ShellWord {
    const { variable, unknown, line } = word;
    if (before !== 'dev' || variable === undefined || unknown === undefined || /^it expands/.test(unknown)) return word;
    const text = /^\d/.test(variable) ? `device-${variable}` : variable.replaceAll(/\W/g, '') || 'device';
    const told = `${unknown}: the device is called ${text}`;
    if (!this.#toldUnknown.has(told)) {
      this.#toldUnknown.add(told);
      this.#say(line, 'warning', told, `import with --set ${variable}=eth0 for its name`);
    }
    return { text, line };
  }

  /** `ip link set dev eth0 txqueuelen 100`, `ifconfig eth0 txqueuelen 100`. */
  #link(words: readonly string[], line: number): boolean {
    const at = words.findIndex((word) => word === 'txqueuelen' || word === 'qlen');
    const length = words[at + 1];
    if (at < 0 || length === undefined) {
      if (tcPosition(words.map((text) => ({ text, line }))) !== undefined) return false;
      if (/^(?:link|l|set)$/.test(words[1] ?? ''))
        this.#say(line, 'info', `${words.join(' ').slice(0, 60)}: left out, as a scenario has no need of it`);
      return true;
    }
    const named = words.indexOf('dev');
    const device = named >= 0 ? words[named + 1] : words[1];
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

  /** Rules that mark or classify packets: said once for each way of doing it. */
  #firewall(words: readonly ShellWord[], line: number): void {
    const texts = words.map((word) => word.text);
    const behind = (name: RegExp): string | undefined => texts.find((_, i) => i > 0 && name.test(texts[i - 1]!));
    const isClass = texts.includes('CLASSIFY') || texts.includes('priority');
    const isMark =
      texts.some((text) => /^(?:MARK|CONNMARK|mark)$/.test(text)) &&
      texts.some((text) => /^(?:--(?:set|or|and|restore|save)-|set$)/.test(text));
    const isTos = texts.some((text) => /^(?:DSCP|TOS|dscp)$/.test(text));
    const kind = isClass ? 'class' : isMark ? 'mark' : isTos ? 'tos' : undefined;
    if (kind === undefined || this.#toldFirewall.has(kind)) return;
    this.#toldFirewall.add(kind);
    const value = { class: behind(/^--set-class$/) || '1:10', mark: behind(/^--set-x?mark$/) || '1', tos: '0x10' }[
      kind
    ];
    const hints = {
      class: `give the flows the class that they would get: class: "${value}"`,
      mark: `give the flows the mark that they would get: mark: ${value.replace(/\/.*$/, '')}`,
      tos: `give the flows the tos that they would get: tos: ${value}`,
    };
    this.#say(line, 'warning', 'firewall rules are not read', hints[kind]);
  }
}

function isFirewall(words: readonly ShellWord[]): boolean {
  const at = words.findIndex(({ text }) => !WRAPPERS.has(text));
  const first = words[Math.max(0, at)];
  if (first === undefined) return false;
  if (/^(?:\S*\/)?(?:ip6?tables(?:-\w+)?|nft|ipt)$/.test(first.text)) return true;
  return first.unknown !== undefined && words.some(({ text }) => /^(?:MARK|CLASSIFY|CONNMARK|DSCP|TOS)$/.test(text));
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
