/** Names farther apart than this are not taken for misspellings. */
const MAXIMUM_DISTANCE = 3;

/**
 * Finds the name that was probably meant: the nearest by edit distance (swapped neighbours count once, case not at
 * all), at most 3 edits and less than half of the word away.
 */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = word.length < 2 ? 1 : Math.min(MAXIMUM_DISTANCE + 1, Math.max(2, Math.ceil(word.length / 2)));
  for (const name of names) {
    // An empty name says nothing as a hint.
    if (name === '' || Math.abs(name.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

/** Edits that turn one word into the other: insert, delete, replace, swap neighbours. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const current = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = previous[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let distance = Math.min(replaced, previous[j]! + 1, current[j - 1]! + 1);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, beforePrevious[j - 2]! + 1);
      }
      current.push(distance);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[to.length]!;
}
