import type { ShellWord } from './shell-expand.ts';

/** The text behind `sh -c`, or the command that `ssh HOST` is given as one word; undefined for other commands. */
export function nestedScript(name: string, words: readonly ShellWord[]): string | undefined {
  const base = name.replace(/^.*\//, '');
  const texts = words.map((word) => word.text);
  const at = texts.findIndex(
    (text, i) =>
      i < texts.length - 2 && /^(?:\S*\/)?(?:ba|da|a|z|k)?sh$/.test(text) && /^-[a-z]*c$/.test(texts[i + 1]!),
  );
  const isRun = at === 0 || (at > 0 && /^(?:sudo|doas|docker|podman|kubectl|ip|nsenter|chroot|lxc|ssh|su)$/.test(base));
  const script = isRun ? words[at + 2] : base === 'ssh' && /\s/.test(texts.at(-1) ?? '') ? words.at(-1) : undefined;
  return script?.unknown === undefined ? script?.text : undefined;
}
