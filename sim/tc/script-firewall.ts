import type { ShellWord } from './shell-expand.ts';

/** Whether a command sets a rule of the firewall. */
export function isFirewall(words: readonly ShellWord[]): boolean {
  const [first] = words;
  if (first === undefined) return false;
  if (/^(?:\S*\/)?(?:ip6?tables(?:-\w+)?|nft|ipt)$/.test(first.text)) return true;
  return first.unknown !== undefined && words.some(({ text }) => /^(?:MARK|CLASSIFY|CONNMARK|DSCP|TOS)$/.test(text));
}

/** What a scenario says in place of a rule that gives packets a class, a mark or a TOS; undefined: the rule does not. */
export function firewallAdvice(
  words: readonly ShellWord[],
): { readonly kind: 'class' | 'mark' | 'tos'; readonly hint: string } | undefined {
  const texts = words.map((word) => word.text);
  const behind = (name: RegExp): string | undefined => texts.find((_, i) => i > 0 && name.test(texts[i - 1]!));
  if (texts.includes('CLASSIFY') || texts.includes('priority')) {
    const value = behind(/^--set-class$/) || '1:10';
    return { kind: 'class', hint: `give the flows the class that they would get: class: "${value}"` };
  }
  const isMark = texts.some((text) => /^(?:MARK|CONNMARK|mark)$/.test(text));
  if (isMark && texts.some((text) => /^(?:--(?:set|or|and|restore|save)-|set$)/.test(text))) {
    const value = (behind(/^--set-x?mark$/) || '1').replace(/\/.*$/, '');
    return { kind: 'mark', hint: `give the flows the mark that they would get: mark: ${value}` };
  }
  if (!texts.some((text) => /^(?:DSCP|TOS|dscp)$/.test(text))) return undefined;
  return { kind: 'tos', hint: 'give the flows the tos that they would get: tos: 0x10' };
}
