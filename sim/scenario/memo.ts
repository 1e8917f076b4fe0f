/** What a place of the document was checked as last time; the same object again needs no second look. */
export class Memo {
  node: unknown;
  type: unknown;
  value: unknown;
  #children: Map<string, Memo> | undefined;

  /** The memo of a part. */
  child(key: string): Memo {
    this.#children ??= new Map();
    let memo = this.#children.get(key);
    if (memo === undefined) {
      memo = new Memo();
      this.#children.set(key, memo);
    }
    return memo;
  }
}

/** Handed where the value is a scalar, which no check remembers. */
export const NO_MEMO = new Memo();

/** Notes that a part was checked; scalars are not worth it. */
export function remember(memo: Memo, node: unknown, type: unknown, value: unknown): void {
  if (!isComposite(node)) return;
  memo.node = node;
  memo.type = type;
  memo.value = value;
}

/** Whether a value is a mapping or list. */
export function isComposite(node: unknown): node is object {
  return typeof node === 'object' && node !== null;
}
