import { type TcMessage, TcTree } from './model.ts';
import { readShownJson } from './show-json.ts';
import { readShownText } from './show-text.ts';
import { settleShown } from './show-tree.ts';

/** What shown output sets up. */
export interface ShownReading {
  readonly tree: TcTree;
  readonly messages: TcMessage[];
}

const SHOWN_LINE =
  /^\s*(?:qdisc|class|filter)\s+(?!add\b|change\b|replace\b|del|link\b|show\b|ls\b|list\b)[a-z]\S*\s+(?:[\da-f]*:|parent\b|dev\b|protocol\b|root\b|ingress\b)/m;

/** A command among it: then it is a script, or a question that shows both. */
const SETS_UP =
  /^(?:#!|(?:.{0,40}[#$>]\s*|\s*)(?:sudo\s+)?(?:\S*\/)?tc\s+(?:-\S+\s+)*(?:qdisc|class)\s+(?:add|replace|change)\s)/m;

/** Reads the output of `tc qdisc show`, `tc class show` and `tc filter show`, text or JSON; undefined: it is none. */
export function readShown(text: string): ShownReading | undefined {
  const tree = new TcTree();
  const messages: TcMessage[] = [];
  const trimmed = text.trimStart();
  if (trimmed.startsWith('[{') || /^\[\s*(?:\{|\])/.test(trimmed)) readShownJson(text, tree, messages);
  else if (SHOWN_LINE.test(text) && !SETS_UP.test(text)) readShownText(text, tree, messages);
  else return undefined;
  settleShown(tree, messages);
  return { tree, messages };
}
