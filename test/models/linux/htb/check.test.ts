import { describe, expect, it } from 'vitest';
import type { HtbClassValues } from '../../../../models/linux/htb/class-figures.ts';
import { htb } from '../../../../models/linux/htb/declaration.ts';
import type { Values } from '../../../../models/model.ts';
import { htbClass, htbOf } from './htb-values.ts';

/** The problems of an HTB as `path: expected / received`. */
function problems(values: Values): string[] {
  return htb.check!(values).map(({ path, expected, received }) => `${path.join('.')}: ${expected} / ${received}`);
}

const leaf = htbClass({ rate: 1e6 });

describe('the check of an HTB', () => {
  it('finds nothing wrong with a tree in any order of its classes', () => {
    expect(
      problems(htbOf({ '1:10': htbClass({ rate: 1e6, parent: 0x10001 }), '1:1': leaf }, { default: 0x10010 })),
    ).toEqual([]);
  });

  it('accepts the handle of the qdisc as parent of a root class', () => {
    expect(problems(htbOf({ '1:1': htbClass({ rate: 1e6, parent: 0x10000 }) }))).toEqual([]);
  });

  it('names the parent that is missing, and what there is', () => {
    const values = htbOf({ '1:1': leaf, '1:10': htbClass({ rate: 1e6, parent: 0x10002 }) });
    expect(problems(values)).toEqual(['classes.1:10.parent: a class of this qdisc / 1:2']);
    expect(htb.check!(values)[0]!.hint).toBe('classes are 1:1, 1:10');
  });

  it('shows a circle of parents once, at its first class', () => {
    const values = htbOf({
      '1:1': htbClass({ rate: 1e6, parent: 0x10002 }),
      '1:2': htbClass({ rate: 1e6, parent: 0x10001 }),
      '1:3': htbClass({ rate: 1e6, parent: 0x10002 }),
    });
    expect(problems(values)).toEqual([
      'classes.1:1.parent: a parent that is not below the class itself / 1:1 → 1:2 → 1:1',
    ]);
  });

  it('allows seven classes above a leaf, as the kernel does', () => {
    const chain = (length: number): Values => {
      const classes: Record<string, HtbClassValues> = {};
      for (let depth = 1; depth <= length; depth++) {
        classes[`1:${depth}`] = htbClass({ rate: 1e6, ...(depth === 1 ? {} : { parent: 0x10000 + depth - 1 }) });
      }
      return htbOf(classes);
    };
    expect(problems(chain(8))).toEqual([]);
    expect(problems(chain(9))).toEqual(['classes.1:9.parent: at most 7 classes above a class / 8']);
  });

  it('refuses a default class that is not there, and accepts one that has children', () => {
    const classes = { '1:1': leaf, '1:10': htbClass({ rate: 1e6, parent: 0x10001 }) };
    expect(problems(htbOf(classes, { default: 0x10099 }))).toEqual(['default: a leaf of this qdisc / 1:99']);
    expect(problems(htbOf(classes, { default: 0x10001 }))).toEqual([]);
    expect(problems(htbOf(classes, { default: 0x10000 }))).toEqual([]);
  });

  it.each(['2.6.21', '6.19', '2.6', 'linux'])('refuses kernel %s and lists those that are modelled', (kernel) => {
    const found = htb.check!(htbOf({ '1:1': leaf }, { kernel }));
    expect(found.map(({ path }) => path)).toEqual([['kernel']]);
    expect(found[0]!.hint).toContain('2.6.22 … 2.6.39');
  });

  it('refuses a tc that is not modelled', () => {
    expect(problems(htbOf({ '1:1': leaf }, { tc: '2.4' }))).toEqual(['tc: a version of tc that is modelled / 2.4']);
  });

  it('refuses ids of another qdisc, of no class, and the same one twice', () => {
    expect(problems(htbOf({ '1:1': leaf, '2:1': leaf, '1:0': leaf, '1:01': leaf }))).toEqual([
      'classes.1:0: a class id such as 1:10, in hexadecimal / 1:0',
      'classes.1:01: one entry a class / 1:01, the same class as 1:1',
      'classes.2:1: a class of 1:0, as 1:1 is / 2:1',
    ]);
  });

  it('says why 1:0 and 0:1 are no classes', () => {
    const hints = htb.check!(htbOf({ '1:1': leaf, '1:0': leaf, '0:1': leaf })).map(({ path, hint }) => [path[1], hint]);
    expect(hints).toEqual([
      ['1:0', '1:0 is the qdisc itself; the number of a class goes from 1 to ffff'],
      ['0:1', "0: is no qdisc's handle; the number before the colon goes from 1 to ffff"],
    ]);
  });

  it('refuses what an old tc cannot send', () => {
    const wide = htbClass({ rate: 40e9, overhead: 256, linklayer: 'atm' });
    expect(problems(htbOf({ '1:1': wide }, { kernel: '2.6.24', tc: '2.6.23' }))).toEqual([
      'classes.1:1.rate: less than 2^32 bytes/s with tc 2.6.23 / 5000000000 bytes/s',
      'classes.1:1.overhead: at most 255 bytes with tc 2.6.23 / 256 bytes',
      'classes.1:1.linklayer: ethernet with tc 2.6.23 / atm',
    ]);
    expect(problems(htbOf({ '1:1': wide }, { kernel: '6.12' }))).toEqual([]);
  });

  it('refuses directQlen on a kernel that has no such setting', () => {
    expect(problems(htbOf({ '1:1': leaf }, { kernel: '3.6', directQlen: 5 }))).toEqual([
      'directQlen: kernel 3.13 or newer / kernel 3.6',
    ]);
    expect(problems(htbOf({ '1:1': leaf }, { kernel: '6.12', directQlen: 5 }))).toEqual([]);
  });

  it('refuses a queue at a class with children, and a limit beside a qdisc', () => {
    const values = htbOf({
      '1:1': htbClass({ rate: 1e6, limit: 5 }),
      '1:10': htbClass({ rate: 1e6, parent: 0x10001, limit: 5, qdisc: { kind: 'pfifo', values: {} } }),
    });
    expect(problems(values)).toEqual([
      'classes.1:1.limit: a leaf / 1:1, which has children',
      'classes.1:10.limit: either limit or qdisc / both',
    ]);
  });

  it('asks for a class', () => {
    expect(problems(htbOf({}))).toEqual(['classes: at least one class / none']);
  });
});
