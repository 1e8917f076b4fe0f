/** More names than that are not told one by one. */
const MOST_LISTED = 12;
const VERSION = /^\d+(?:\.\d+)*$/;
/** A version with a name before it or as a tag: `v8.18.0`, `curl 8.19`, `curl-8_18_0`. */
const NAMED_VERSION = /^[a-z]*[ /_-]?v?(\d+(?:[._]\d+)+)$/i;

/**
 * Tells many versions by their ranges, one for each major number: `7.60.0 … 7.88.1, 8.0.0 … 8.22.0 or pr19384`.
 *
 * @param names oldest first
 * @returns undefined where there are few names, or where they are no versions
 */
export function versionRanges(names: readonly string[]): string | undefined {
  const versions = names.filter((name) => VERSION.test(name));
  if (names.length <= MOST_LISTED || versions.length === 0) return undefined;
  const major = (version: string): string => version.split('.')[0]!;
  const words: string[] = [];
  for (const [i, version] of versions.entries()) {
    const begins = i === 0 || major(versions[i - 1]!) !== major(version);
    const ends = i === versions.length - 1 || major(versions[i + 1]!) !== major(version);
    if (begins) words.push(version);
    else if (ends) words.push(`${words.pop()!} … ${version}`);
  }
  const all = [...words, ...names.filter((name) => !VERSION.test(name))];
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(', ')} or ${all.at(-1)!}`;
}

/**
 * Hints at the version that was probably meant: the first of a shortened one, the last before one that does not exist,
 * the newest or the oldest.
 *
 * @param names oldest first
 * @returns undefined for a word that is no version, or where none is known
 */
export function versionHint(word: string, names: readonly string[]): string | undefined {
  const versions = names.filter((name) => VERSION.test(name));
  const [oldest] = versions;
  const bare = NAMED_VERSION.exec(word)?.[1]?.replaceAll('_', '.') ?? word;
  if (oldest === undefined || !VERSION.test(bare)) return undefined;
  const completed = versions.find((version) => version === bare || version.startsWith(`${bare}.`));
  if (completed !== undefined) return `did you mean ${completed}?`;
  const before = versions.findLast((version) => compare(version, bare) < 0);
  if (before === undefined) return `${oldest} is the oldest`;
  return before === versions.at(-1) ? `${before} is the newest` : `did you mean ${before}?`;
}

function compare(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number)) as [number[], number[]];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
