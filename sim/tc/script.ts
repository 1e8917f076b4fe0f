import { applyCommand, setQueueLength } from './command.ts';
import type { CommandPlace } from './command-place.ts';
import { flattenTables } from './hash-tables.ts';
import { TcFault, type TcMessage, TcTree } from './model.ts';
import { WAY_OUT } from './recorder.ts';
import { firewallAdvice, isFirewall } from './script-firewall.ts';
import { ranges, skippedMessage } from './script-skipped.ts';
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
/** Commands that print or look for what follows them, and do not run it. */
const TALKERS =
  /^(?:echo|print|log|say|info|warn|note|debug|msg|die|fatal|err|grep|egrep|man|alias|trap|which|type|command|help|usage)/;
/** Words of a wrapper before its tc. */
const MOST_WRAPPER_WORDS = 4;

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
    const own = words.slice(
      Math.max(
        0,
        words.findIndex(({ text }) => !WRAPPERS.has(text)),
      ),
    );
    const texts = own.map(({ text }) => text);
    const name = (texts[0] ?? '').replace(/^.*\//, '');
    if (/^(?:ip|ifconfig)$/.test(name) && this.#link(texts, command.line)) return;
    if (/^(?:modprobe|insmod|rmmod|sysctl|brctl|ethtool)$/.test(name)) {
      const why = name === 'ethtool' ? 'packets are as large as the flows say' : 'a scenario has no need of it';
      this.#say(command.line, 'info', `${texts.join(' ').slice(0, 60)}: left out, as ${why}`);
      return;
    }
    if (isFirewall(own)) {
      this.#firewall(own, command.line);
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
    const at = tcPosition(words) ?? this.#behindWrapper(words, command.line);
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

  /** A tc command behind the name of some command that is taken to run it, which is said once for each name. */
  #behindWrapper(words: readonly ShellWord[], line: number): number | undefined {
    const name = words[0]?.text ?? '';
    const at = words.findIndex(({ text }, i) => i > 0 && i <= MOST_WRAPPER_WORDS && /^(?:\S*\/)?tc$/.test(text));
    const [object, verb] = [words[at + 1]?.text ?? '', words[at + 2]?.text ?? ''];
    if (at < 0 || !/^[a-z_][\w./-]*$/.test(name) || TALKERS.test(name) || !OBJECTS.test(object) || !VERBS.test(verb))
      return undefined;
    const text = `"${name}" is taken for a command that runs the tc command behind it`;
    if (!this.#toldUnknown.has(text))
      this.#say(line, 'warning', text, 'leave it out of the line if it does something else');
    this.#toldUnknown.add(text);
    return at;
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
      const message = skippedMessage(part);
      this.messages.push(message);
      if (message.severity === 'error' && message.hint === undefined) this.#needsWayOut.add(message);
    }
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
    for (const { line, lastLine, text } of command.input) {
      const { commands } = readShell(text);
      for (const inner of commands) {
        // Lines of a batch were given their "tc" with the rest of the script.
        const words = inner.words[0]?.text === 'tc' ? inner.words.slice(1) : inner.words;
        this.#apply(words, Math.min(lastLine, line + inner.line - 1), namespace);
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

  /** Rules that mark or classify packets: said once for each way of doing it. */
  #firewall(words: readonly ShellWord[], line: number): void {
    const advice = firewallAdvice(words);
    if (advice === undefined || this.#toldFirewall.has(advice.kind)) return;
    this.#toldFirewall.add(advice.kind);
    this.#say(line, 'warning', 'firewall rules are not read', advice.hint);
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
