import { TcFault, type TcMessage, type TcTree } from './model.ts';
import { isClassName, putShown, UNNAMED_DEVICE } from './show-tree.ts';

/** Words that tc prints between the options and that set nothing, with the number of values behind them. */
const PRINTED_ONLY: Readonly<Record<string, number>> = {
  refcnt: 1,
  direct_packets_stat: 1,
  ver: 1,
  level: 1,
  seed: 1,
  offload: 0,
  offloaded: 0,
  not_in_hw: 0,
  in_hw: 0,
  deleted: 0,
};

/** A question above its answer, at a prompt or in a comment, which names the device where the answer leaves it out. */
const QUESTION = /\btc\s+(?:-\S+\s+)*(?:qdisc|class|filter)\s+(?:show|list|ls)\b(?:.*\bdev\s+([\w.:@+-]+))?/;

/**
 * Reads the text that `tc -s -d qdisc show` and `tc -s -d class show` print, of old and new versions: `default` with
 * and without 0x, `prio` without a number, bursts with a cell size, `lat` for `latency`.
 */
export function readShownText(text: string, tree: TcTree, messages: TcMessage[]): void {
  const lines = text.split(/\r?\n/);
  let asked = UNNAMED_DEVICE;
  for (let i = 0; i < lines.length; i++) {
    const question = QUESTION.exec(lines[i]!);
    if (question !== null) asked = question[1] ?? UNNAMED_DEVICE;
    const source = lines[i]!.replace(/^\S*[#$]\s+tc\b.*$/, '');
    const match = /^\s*(qdisc|class|filter)\s+(\S+)\s+(.*)$/.exec(separated(source));
    if (match === null) continue;
    // Long lines are broken by terminals and mail: what continues them is indented and no statistic.
    let rest = match[3]!;
    const [, object, kind] = match as unknown as [string, string, string];
    if (object === 'filter') {
      messages.push({
        line: i + 1,
        severity: 'warning',
        text: 'shown filters are not read',
        hint: 'import the commands that made them, or give the flows their class',
      });
      while (/^\s*(?:filter\b|\s+(?:match|action|police|index))/.test(lines[i + 1] ?? '')) i++;
      continue;
    }
    while (isContinuation(lines[i + 1])) rest += ` ${lines[++i]!.trim()}`;
    try {
      const place = { device: asked, line: i + 1 };
      putShown(tree, object === 'qdisc' ? 'qdisc' : 'class', kind, words(rest), place, messages);
    } catch (error) {
      if (!(error instanceof TcFault)) throw error;
      messages.push({
        line: i + 1,
        severity: 'error',
        text: error.message,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      });
    }
  }
}

/** Puts back the blanks that tc forgets since 6.2: `burst 1600b/1mpu 0b`, and in 6.2 itself `leaf 10prio 0`. */
function separated(line: string): string {
  return line.replaceAll(/(\/\d+)mpu /g, '$1 mpu ').replace(/ leaf ([\da-f]+)prio /, ' leaf $1: prio ');
}

function isContinuation(line: string | undefined): boolean {
  if (line === undefined || line.trim() === '') return false;
  return (
    !/^\s*(?:qdisc|class|filter|Sent|rate \S+ \d+pps|backlog|lended|tokens|maxpacket|new_flows|marked|count|ldelay|drop_next|memory|\*|---|\[|deficit|Segment|\S*[#$] )/.test(
      line,
    ) &&
    /^\s*(?:target|interval|ecn|burst|cburst|quantum|memory_limit|drop_batch|limit|linklayer|mpu|level|priomap|prio|rate|ceil|default|direct_qlen|direct_packets_stat|lat)\b/.test(
      line,
    )
  );
}

/** The words of a shown line, without what sets nothing, in the form that commands have. */
function words(rest: string): string[] {
  const result: string[] = [];
  const given = rest.trim().split(/\s+/);
  for (let i = 0; i < given.length; i++) {
    const word = given[i]!;
    const skip = Object.hasOwn(PRINTED_ONLY, word) ? PRINTED_ONLY[word] : undefined;
    if (skip !== undefined) i += skip;
    else if (word === 'lat') result.push('latency');
    else if (word === 'prio' && !/^\d+$/.test(given[i + 1] ?? '')) continue;
    else if (word === 'overhead' && !/^\d/.test(given[i + 1] ?? '')) continue;
    else if (word === 'leaf' && isClassName(given[i + 1] ?? '')) i++;
    else result.push(word);
  }
  return result;
}
