import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { classFigures, type HtbClassValues } from '../../models/linux/htb/class-figures.ts';
import { burstSteps } from '../../models/linux/htb/explain.ts';
import { shownTokens } from '../../models/linux/htb/report.ts';
import { kernelRules } from '../../models/linux/kernels.ts';
import { parseRate } from '../../sim/units/rate.ts';
import { parseSize } from '../../sim/units/size.ts';
import { htbClass, htbOf } from '../models/linux/htb/htb-values.ts';

const read = (name: string): string => readFileSync(new URL(`tc-6.1/${name}`, import.meta.url), 'utf8');

/** The classes of the script that was given to tc. */
function classesOf(script: string): Record<string, HtbClassValues> {
  const classes: Record<string, HtbClassValues> = {};
  for (const [, name, options] of script.matchAll(/^class add .* classid (\S+) htb (.*)$/gm)) {
    const words = new Map([...options!.matchAll(/(\S+) (\S+)/g)].map(([, key, value]) => [key!, value!]));
    const rate = (key: string) => (words.has(key) ? { [key]: parseRate(words.get(key)!) } : {});
    const size = (key: string) => (words.has(key) ? { [key]: parseSize(words.get(key)!) } : {});
    classes[name!] = htbClass({
      rate: parseRate(words.get('rate')!),
      ...rate('ceil'),
      ...Object.assign({}, ...['burst', 'cburst', 'quantum', 'mtu', 'mpu', 'overhead'].map(size)),
    });
  }
  return classes;
}

describe('tc 6.1 on a 6.18 kernel', () => {
  const values = htbOf(classesOf(read('script.txt')), { kernel: '6.18', tc: '6.1' });
  const blocks = read('class-show.txt').split('\n\n');
  const shown = blocks.flatMap((text) => {
    const name = /^class htb (\S+)/.exec(text)?.[1];
    return name === undefined ? [] : [{ name, text }];
  });

  it('shows the classes of the script', () => {
    expect(shown.map(({ name }) => name)).toEqual(['1:1', '1:10', '1:20', '1:a0']);
  });

  it.each(shown)('shows the bursts of $name', ({ name, text }) => {
    const [, burst, cburst] = /burst (\w+)\/1 mpu \S+ cburst (\w+)\/1/.exec(text)!;
    expect(burstSteps(values, name, 'rate').shown).toBe(burst);
    expect(burstSteps(values, name, 'ceil').shown).toBe(cburst);
  });

  it.each(shown.filter(({ text }) => text.includes(' quantum ')))('shows the quantum of $name', ({ name, text }) => {
    expect(classFigures(values, name).quantumBytes).toBe(Number(/quantum (\d+)/.exec(text)![1]));
  });

  it('shows the full buckets of a class without traffic', () => {
    const [, tokens, ctokens] = /tokens: (\d+) ctokens: (\d+)/.exec(shown.at(-1)!.text)!;
    const { rate, ceil } = classFigures(values, '1:a0');
    const kernel = kernelRules('6.18')!;
    expect([shownTokens(kernel, rate.bufferTicks), shownTokens(kernel, ceil.bufferTicks)]).toEqual([
      Number(tokens),
      Number(ctokens),
    ]);
  });
});
