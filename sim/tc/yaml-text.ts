import { Document, isMap, isPair, isScalar, isSeq, type Node, Scalar, visit } from 'yaml';
import { visible } from '../scenario/visible-text.ts';

/** A comment in front of a key of the document. */
export interface Comment {
  readonly path: readonly string[];
  readonly text: string;
}

const CLASS_ID = /^[\da-f]+:[\da-f]*$/;
/** Longest mapping (characters as JSON) that is written on one line. */
const LONGEST_FLOW = 110;

/** Writes a scenario document, small mappings on one line, with comments in front of the places that they speak of. */
export function writeYaml(document: unknown, heading: readonly string[], comments: readonly Comment[]): string {
  const yaml = new Document(document, { aliasDuplicateObjects: false });
  for (const { path, text } of comments) attach(yaml.contents as Node | null, path, ` ${visible(text)}`);
  visit(yaml, {
    Scalar(_, node) {
      // Readers of YAML 1.1 take a plain 1:10 for a number of base 60.
      if (typeof node.value === 'string' && CLASS_ID.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  compact(yaml.contents as Node | null, 0);
  if (heading.length > 0) yaml.commentBefore = heading.map((line) => ` ${visible(line)}`).join('\n');
  return yaml.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Puts the comment before the key that the path leads to, or the last key on the way that exists. */
function attach(root: Node | null, path: readonly string[], text: string): void {
  let node: unknown = root;
  let key: { commentBefore?: string | null } | undefined;
  for (const name of path) {
    if (!isMap(node)) break;
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === name);
    if (pair === undefined || !isScalar(pair.key)) break;
    key = pair.key;
    node = pair.value;
  }
  if (key === undefined) return;
  key.commentBefore = key.commentBefore ? `${key.commentBefore}\n${text}` : text;
}

/** Sets flow style on collections that fit on a line and carry no comments inside. */
function compact(node: unknown, depth: number): void {
  if (isPair(node)) compact(node.value, depth);
  if (!isMap(node) && !isSeq(node)) return;
  if (depth >= 2 || isSeq(node)) {
    const text = JSON.stringify(node.toJSON());
    const plain = isSeq(node)
      ? node.items.every((item) => isScalar(item))
      : text.length <= LONGEST_FLOW && !hasComment(node) && Object.keys(node.toJSON() as object).length > 0;
    if (plain && text.length <= LONGEST_FLOW) {
      node.flow = true;
      return;
    }
  }
  for (const item of node.items) compact(item, depth + 1);
}

function hasComment(node: unknown): boolean {
  if (isPair(node)) return hasComment(node.key) || hasComment(node.value);
  if (isScalar(node)) return Boolean(node.commentBefore);
  if (isMap(node) || isSeq(node)) return node.items.some((item) => hasComment(item));
  return false;
}
