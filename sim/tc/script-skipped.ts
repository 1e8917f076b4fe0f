import type { TcMessage } from './model.ts';
import type { SkippedPart } from './shell.ts';

/** What there is to say of a part of a script that is not interpreted; an error without a hint wants the way out. */
export function skippedMessage(part: SkippedPart): TcMessage {
  const { line, sort, name, tcLines, onlyDeletes } = part;
  const many = tcLines.length === 1 ? 'the tc command' : `${tcLines.length} tc commands`;
  const at = tcLines.length > 0 ? ` (line ${ranges(tcLines)})` : '';
  const run = tcLines.length === 1 ? 'runs' : 'run';
  // What only takes away and shows would change nothing that is set up later.
  const neverRun = onlyDeletes ? 'info' : 'warning';
  const leftOut = (why: string): TcMessage => {
    const text = `${why}; left out: ${many}${at}`;
    if (onlyDeletes) return { line, severity: 'info', text };
    const decides = part.variable !== undefined && /^\w+$/.test(part.variable);
    return { line, severity: 'error', text, ...(decides ? { hint: `import with --set ${part.variable}=VALUE` } : {}) };
  };
  switch (sort) {
    case 'fault':
      return { line, severity: 'error', text: `expected ${name}`, hint: 'the line is read as if it stood there' };
    case 'loop':
      return leftOut(`how often the "${name}" loop runs depends on what only a run knows`);
    case 'endless':
      return leftOut(name === 'script' ? 'the script goes on for too long' : `the "${name}" loop does not end`);
    case 'branch':
      return leftOut(`which way the "${name}" goes depends on what only a run knows`);
    case 'call':
      return leftOut(`the function ${name} calls itself too deeply`);
    case 'test':
      return leftOut('the tc command depends on a test that only a run decides');
    case 'alternative':
      return { line, severity: 'info', text: 'left out, as it runs only if the command before it fails' };
    case 'program':
      return program(line, name);
    case 'way':
      return {
        line,
        severity: 'warning',
        text: `${wayOf(name)} depends on what only a run knows; read as if it came to what sets up a root${at}`,
      };
    case 'once':
      return {
        line,
        severity: 'warning',
        text: `the "for" loop is read once: the devices of ${name} are known only to a run`,
        hint: `import with --set ${name}=eth0 for one of them`,
      };
    case 'choice':
      return choice(line, name);
    case 'uncalled':
      return { line, severity: neverRun, text: `nothing calls the function ${name}; ${many} in it never ${run}${at}` };
    case 'after-exit':
      return { line, severity: neverRun, text: `the script ends here (${name}); ${many} below never ${run}${at}` };
  }
}

function wayOf(name: string): string {
  return name === 'if' || name === 'case' ? `which way the "${name}" goes` : 'whether the command runs';
}

function program(line: number, name: string): TcMessage {
  if (/^(?:source|\.)(?: |$)/.test(name)) {
    const hint = 'what it sets can be given with --set NAME=value; tc commands in it are left out';
    return { line, severity: 'warning', text: `"${name}" is not opened`, hint };
  }
  return { line, severity: 'error', text: `"${name}" runs text that only a run knows; what it sets up is left out` };
}

function choice(line: number, name: string): TcMessage {
  const [variable, value] = name.split('=') as [string, string];
  const what = variable === '@' ? 'the arguments' : /^\d/.test(variable) ? `the argument $${variable}` : variable;
  const hint = `import with --set ${variable === '@' ? '1' : variable}=… for another`;
  return { line, severity: 'warning', text: `read as if ${what} were "${value}"`, hint };
}

/** `3, 5 to 8` for [3, 5, 6, 7, 8]. */
export function ranges(lines: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < lines.length; ) {
    let end = i;
    while (lines[end + 1] === lines[end]! + 1) end++;
    parts.push(end === i ? `${lines[i]}` : `${lines[i]} to ${lines[end]}`);
    i = end + 1;
  }
  return parts.join(', ');
}
