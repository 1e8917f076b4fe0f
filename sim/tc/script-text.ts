/** A line for `tc -batch`. */
const BATCH_LINE = /^\s*(?:qdisc|class|filter)\s+(?:add|change|replace|link|del|delete)\s/;
/** A line of `set -x`: `+ tc …`, `++ tc …`, `+ script.sh:12: tc …`. */
const TRACE_LINE = /^\++\s*(?:\(?[\w./-]+:\d+\)?:?\s+)?(?=\S)/;
/** A prompt in front of a command that was copied from a terminal. */
const PROMPT = /^(?:\[?[\w.-]+@[^\s\]$#]*\]?[^\s$#]*\s?[$#]|[$%])\s+/;
/** What stands before a command in files of WireGuard, systemd and ifupdown, when the interface comes up. */
const HOOK = /^\s*(?:(?:PreUp|PostUp|ExecStart(?:Pre|Post)?)\s*=\s*-?|(?:pre-|post-)?up\s+(?=\S*(?:tc|ip)\b))/;
/** The same for when it goes down: that comes after all that is of interest. */
const HOOK_DOWN = /^\s*(?:(?:PreDown|PostDown|ExecStop(?:Post)?)\s*=|(?:pre-|post-)?down\s+(?=\S*tc\b))/;
/** The interface that the hooks behind it are for: ifupdown gives them its name. */
const STANZA = /^\s*iface\s+([\w.:-]+)\s+inet6?\b.*/;
const FENCE = /^\s*(?:```|~~~)/;
const CALLS_TC = /^[^#]*(?:^|[\s/;&|"'`$({])(?:tc|TC)\b/;
const IS_TC = /(?:^|[\s/])(?:tc|qdisc|class|filter)\s/;

/** A script as plain lines for the shell's reader, and the lines on which it had to be put right. */
export interface PreparedScript {
  readonly text: string;
  /** Lines with quotes, dashes or blanks of a word processor. */
  readonly typographic: readonly number[];
}

/**
 * Turns traces, terminal copies, batch files, hooks of other files and Markdown into plain script lines, one for one, so
 * that line numbers stay.
 */
export function prepareScript(source: string): PreparedScript {
  const lines = source
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n');
  const isTrace = lines.some((line) => TRACE_LINE.test(line) && /(?:^|[\s/])tc\s/.test(line));
  const isScript = lines.some((line) => CALLS_TC.test(line) && !FENCE.test(line));
  const isPasted = lines.some((line) =>
    /^#\s+(?:\S*\/)?tc\s+(?:-\S+\s+)*(?:qdisc|class)\s+(?:add|replace)\s/.test(line),
  );
  const isComment =
    isScript &&
    lines.some((line) => /^\s*(?:sudo\s+)?(?:\S*\/)?tc\s+(?:-\S+\s+)*(?:qdisc|class)\s+(?:add|replace)\s/.test(line));
  const typographic: number[] = [];
  const text = lines.map((line, i) => {
    if (isTrace) return TRACE_LINE.test(line) ? traced(line.replace(TRACE_LINE, '')) : '';
    if (FENCE.test(line) || HOOK_DOWN.test(line)) return '';
    const plain = IS_TC.test(line) ? withoutTypography(line) : line;
    if (plain !== line) typographic.push(i + 1);
    if (isPasted && !isComment) return plain.replace(/^#\s+(?=(?:\S*\/)?tc\s)/, '');
    if (BATCH_LINE.test(plain)) return `tc ${plain.trimStart()}`;
    return plain.replace(PROMPT, '').replace(STANZA, 'IFACE=$1').replace(HOOK, '');
  });
  return { text: text.join('\n'), typographic };
}

/** A traced line is one command with everything expanded: keywords and dollars mean nothing there. */
function traced(command: string): string {
  return /^(?:for|case|select|if|while|until|function|\(\(|\[|'\[')(?:\s|$)/.test(command) ? '' : command;
}

/** Quotes, dashes and blanks of word processors as those of a keyboard; `<iface>` as a word, not as a redirection. */
function withoutTypography(line: string): string {
  return line
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[\u2010-\u2014\u2212](?=[a-z])/g, '-')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/(?<=\s)<([A-Za-z][\w -]{0,30})>(?=\s|$)/g, (_, name: string) => name.replaceAll(/\s+/g, '-'));
}
