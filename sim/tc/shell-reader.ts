import { assign, declare, leadingAssignments, runArithmetic } from './shell-assignments.ts';
import type { ShellWord } from './shell-expand.ts';
import { type Flow, FlowReader, type Input, type Outcome, STARTS } from './shell-flow.ts';
import { nestedScript } from './shell-nested.ts';
import { echoed, printed } from './shell-substitution.ts';
import { surveyOf } from './shell-survey.ts';
import { parseShell, type RawWord, type ShellList, type ShellNode, type SimpleCommand } from './shell-syntax.ts';
import { evaluateTest, type Status, type Truth } from './shell-tests.ts';
import { type Heredoc, tokenize } from './shell-words.ts';

const DECLARERS = new Set(['export', 'local', 'declare', 'typeset', 'readonly']);
const DEEPEST_CALL = 20;

/** Follows the commands of a script. */
export class ScriptReader extends FlowReader {
  script(list: ShellList): void {
    let at = 0;
    let flow: Flow = 'on';
    let status: Status = true;
    for (; at < list.length && flow !== 'exit' && flow !== 'return'; at++)
      ({ flow, status } = this.step(list[at]!, status));
    const rest = this.survey(list.slice(at).filter(({ commands: [first] }) => first?.kind !== 'function'));
    if (this.exit !== undefined && rest.tcLines.length > 0)
      this.skip(this.exit.line, 'after-exit', this.exit.name, rest);
    for (const [name, { line, body, isCalled }] of this.functions) {
      const inside = surveyOf(body, () => undefined, this.expansion.variables);
      if (!isCalled && inside.tcLines.length > 0) this.skip(line, 'uncalled', name, inside);
    }
  }

  /** What a command prints into a pipe, where that is plain to see. */
  protected printed(node: ShellNode): readonly Input[] | undefined {
    if (node.kind !== 'simple') return undefined;
    const words = node.words.flatMap((word) => this.expansion.expand(word.parts, word.line));
    const [name, ...rest] = words.map((word) => word.text);
    if (name === 'cat' && rest.every((word) => word === '-')) return node.inputs.map((input) => this.#input(input));
    if (words.some((word) => word.unknown !== undefined)) return undefined;
    const text = name === 'echo' ? echoed(rest) : name === 'printf' ? printed(rest) : undefined;
    return text?.split('\n').map((each) => ({ line: node.line, lastLine: node.line, text: each }));
  }

  protected simple(node: SimpleCommand, fed: readonly Input[] | 'unknown' | undefined): Outcome {
    for (const { name, append, words } of node.arrays) {
      const items = words.flatMap((word) =>
        this.expansion.expand(word.parts, word.line).map((item) => this.#marked(item)),
      );
      this.expansion.variables.setArray(name, items, append);
    }
    const assignments = leadingAssignments(node.words);
    const rest = node.words.slice(assignments.length);
    if (rest.length === 0) {
      for (const assignment of assignments) assign(this.expansion, assignment, node.line);
      return { flow: 'on', status: true };
    }
    let words = rest.flatMap((word) => this.expansion.expand(word.parts, word.line));
    const [first] = words;
    const start =
      first?.text === '' && first.variable !== undefined ? STARTS.find((name) => this.functions.has(name)) : undefined;
    if (start !== undefined && first?.variable !== undefined) {
      this.choose(node.line, first.variable, start);
      words = [{ text: start, line: node.line }, ...words.slice(1)];
    }
    const name = words[0]?.unknown === undefined ? (words[0]?.text ?? '') : '';
    const control = this.#control(name, rest, words, node.line);
    if (control !== undefined) return control;
    const called = this.functions.get(name);
    if (called !== undefined) return this.#call(name, called, words.slice(1), node.line);
    const text = nestedScript(name, words);
    if (text !== undefined) return this.#text(text, node.line, name);
    const inputs = node.inputs.map((input) => this.#input(input));
    const input = Array.isArray(fed) ? [...fed, ...inputs] : inputs;
    this.commands.push({ line: node.line, words, input, piped: fed === 'unknown' });
    return { flow: 'on', status: /^(?:e?grep|fgrep)$/.test(name) || fed === 'unknown' ? undefined : 'assumed' };
  }

  /** Commands of the shell itself. */
  #control(name: string, raw: readonly RawWord[], words: readonly ShellWord[], line: number): Outcome | undefined {
    const { variables } = this.expansion;
    const given = words.slice(1);
    const done = (status: Status): Outcome => ({ flow: 'on', status });
    if (name === '[' || name === '[[' || name === 'test') return done(this.#test(name, given, line));
    if (name === 'true' || name === ':') return done(true);
    if (name === 'false') return done(false);
    if (name === 'exit' || name === 'return') {
      if (name === 'exit' || variables.depth === 0) this.exit = { line, name };
      return {
        flow: name === 'return' && variables.depth > 0 ? 'return' : 'exit',
        status: given[0]?.text === undefined || given[0].text === '0',
      };
    }
    if (name === 'break' || name === 'continue') return { flow: name, status: true };
    if (DECLARERS.has(name)) {
      for (const word of raw.slice(1)) declare(this.expansion, name, word, line);
      return done(true);
    }
    if (name === 'read') for (const word of given) variables.setUnknown(word.text, 'it is read while the script runs');
    else if (name === 'unset') for (const word of given) variables.unset(word.text);
    else if (name === 'shift') variables.shift(Number(given[0]?.text ?? 1) || 1);
    else if (name === 'let') for (const word of given) runArithmetic(this.expansion, this.#marked(word));
    else if (name === 'set' && given[0]?.text === '--')
      variables.setArguments(given.slice(1).map((word) => this.#marked(word)));
    else if (name === 'eval') return this.#eval(given, line);
    else if (name === 'source' || name === '.') this.skip(line, 'program', `${name} ${given[0]?.text ?? ''}`.trim());
    else return undefined;
    return done('assumed');
  }

  #test(name: string, given: readonly ShellWord[], line: number): Truth {
    const closer = { '[': ']', '[[': ']]' }[name];
    const words = closer !== undefined && given.at(-1)?.text === closer ? given.slice(0, -1) : given;
    const { truth, variable, comparison } = evaluateTest(words, name === '[[');
    this.decider = variable;
    if (truth !== undefined || comparison === undefined || !STARTS.includes(comparison.word)) return truth;
    this.choose(line, comparison.variable, comparison.word);
    return true;
  }

  #call(
    name: string,
    called: { body: ShellList; isCalled: boolean },
    given: readonly ShellWord[],
    line: number,
  ): Outcome {
    called.isCalled = true;
    const { variables } = this.expansion;
    if (variables.depth >= DEEPEST_CALL) {
      this.leaveOut(called.body, line, 'call', name);
      return { flow: 'on', status: undefined };
    }
    variables.enter(given.map((word) => this.#marked(word)));
    const { flow, status } = this.list(called.body);
    variables.leave();
    return { flow: flow === 'exit' ? 'exit' : 'on', status };
  }

  #eval(given: readonly ShellWord[], line: number): Outcome {
    if (given.some((word) => word.unknown !== undefined && !/^[A-Za-z_]\w*=/.test(word.text))) {
      this.skip(line, 'program', 'eval');
      return { flow: 'on', status: undefined };
    }
    return this.#text(given.map((word) => this.#marked(word)).join(' '), line, 'eval');
  }

  /** Reads text that a command runs as a script; all of it stands on the line of the command. */
  #text(text: string, line: number, name: string): Outcome {
    const { list, faults } = parseShell(text);
    if (faults.length > 0 || this.expansion.variables.depth >= DEEPEST_CALL) {
      this.skip(line, 'program', name);
      return { flow: 'on', status: undefined };
    }
    const [before, skippedBefore] = [this.commands.length, this.skipped.length];
    this.expansion.variables.enter(this.expansion.variables.arguments());
    const { flow, status } = this.list(list);
    this.expansion.variables.leave();
    for (let i = before; i < this.commands.length; i++) this.commands[i] = { ...this.commands[i]!, line };
    for (let i = skippedBefore; i < this.skipped.length; i++) {
      const part = this.skipped[i]!;
      this.skipped[i] = { ...part, line, tcLines: part.tcLines.length === 0 ? [] : [line] };
    }
    return { flow: name === 'eval' && flow === 'exit' ? 'exit' : 'on', status: status === true ? 'assumed' : status };
  }

  /** The text of a word with its mark, so that what is unknown stays so when it goes on. */
  #marked({ text, unknown, variable }: ShellWord): string {
    return unknown === undefined ? text : text + this.expansion.variables.mark(unknown, variable);
  }

  #input({ line, text, expand }: Heredoc): Input {
    const lastLine = line + text.split('\n').length - 1;
    if (!expand) return { line, lastLine, text };
    const { tokens } = tokenize(`"${text.replaceAll('"', '\\"')}"`);
    const word = tokens[0];
    if (word?.kind !== 'word') return { line, lastLine, text };
    return { line, lastLine, text: this.expansion.variables.withNames(this.expansion.expandToText(word.parts, line)) };
  }
}
