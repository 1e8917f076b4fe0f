import type { ParameterProblem } from '../../model.ts';
import { formatClassId, handleOf, MINOR_MASK, parseClassId } from '../class-id.ts';
import { DEFAULT_KERNEL } from '../kernel-parameters.ts';
import {
  defaultTcVersion,
  type KernelRules,
  kernelRules,
  SUPPORTED_KERNELS,
  SUPPORTED_TCS,
  type TcRules,
  tcRules,
} from '../kernels.ts';
import { bytesPerSecond, NARROW_RATE_LIMIT } from '../tc.ts';
import type { HtbClassValues, HtbValues } from './class-figures.ts';

/** Inner classes in a chain, at most: levels 7 to 1. */
const LONGEST_CHAIN = 7;
/** Largest `overhead` and `mpu` of a tc that keeps each in 8 bits. */
const BYTE_MAX = 255;

/** A class with its id. */
interface Entry {
  readonly name: string;
  readonly id: number;
  readonly values: HtbClassValues;
}

/**
 * Finds what is wrong between the parameters of an HTB.
 *
 * A default class that is not there is refused, as it is nearly always a slip: the kernel would send such packets to
 * the direct queue, which leaving `default` out says plainly. A default that names an inner class is accepted, and
 * goes to the direct queue as in the kernel.
 */
export function checkHtb(values: HtbValues): ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  const version = values.kernel ?? DEFAULT_KERNEL;
  const kernel = kernelRules(version);
  if (kernel === undefined) problems.push(versionProblem('kernel', version, SUPPORTED_KERNELS));
  const tc = tcRules(values.tc ?? defaultTcVersion(version));
  if (tc === undefined && values.tc !== undefined) problems.push(versionProblem('tc', values.tc, SUPPORTED_TCS));
  if (kernel !== undefined && values.directQlen !== undefined && !kernel.directLengthSettable) {
    problems.push({
      path: ['directQlen'],
      expected: 'kernel 3.13 or newer',
      received: `kernel ${version}`,
      hint: 'older kernels take the length of the direct queue from txQueueLen',
    });
  }

  const entries: Entry[] = [];
  const byId = new Map<number, Entry>();
  for (const [name, classValues] of Object.entries(values.classes)) {
    const id = parseClassId(name);
    const path = ['classes', name];
    if (id === undefined || (id & MINOR_MASK) === 0 || handleOf(id) === 0) {
      problems.push({ path, expected: 'a class id such as 1:10, in hexadecimal', received: name, ...hintAt(id) });
      continue;
    }
    const same = byId.get(id);
    if (same !== undefined) {
      problems.push({ path, expected: 'one entry a class', received: `${name}, the same class as ${same.name}` });
      continue;
    }
    const entry = { name, id, values: classValues };
    byId.set(id, entry);
    entries.push(entry);
  }
  const first = entries[0];
  if (first === undefined) {
    if (problems.length === 0) problems.push({ path: ['classes'], expected: 'at least one class', received: 'none' });
    return problems;
  }
  for (const entry of entries) {
    problems.push(...placeProblems(entry, first, byId));
    if (kernel !== undefined && tc !== undefined) problems.push(...classProblems(entry, tc));
  }
  problems.push(...innerProblems(entries));
  problems.push(...defaultProblems(values.default, first, byId, kernel));
  return problems;
}

function versionProblem(key: string, received: string, supported: string): ParameterProblem {
  return {
    path: [key],
    expected: `a version of ${key === 'tc' ? 'tc' : 'the kernel'} that is modelled`,
    received,
    hint: `modelled are ${supported}; write the version in quotes`,
  };
}

/** Problems of where a class stands: another qdisc, a missing or circular parent, too deep a tree. */
function placeProblems(entry: Entry, first: Entry, byId: ReadonlyMap<number, Entry>): ParameterProblem[] {
  if (handleOf(entry.id) !== handleOf(first.id)) {
    return [
      {
        path: ['classes', entry.name],
        expected: `a class of ${formatClassId(handleOf(first.id))}, as ${first.name} is`,
        received: entry.name,
        hint: 'all classes of a qdisc share the number before the colon',
      },
    ];
  }
  const path = ['classes', entry.name, 'parent'];
  const parent = entry.values.parent;
  if (parent === undefined || parent === handleOf(first.id)) return [];
  if (!byId.has(parent)) {
    const known = [...byId.values()].map((other) => other.name).join(', ');
    return [{ path, expected: 'a class of this qdisc', received: formatClassId(parent), hint: `classes are ${known}` }];
  }
  const chain: Entry[] = [entry];
  for (let above = byId.get(parent); above !== undefined; above = byId.get(above.values.parent ?? 0)) {
    if (above === entry) {
      // Told of the first class of the circle only.
      for (const first of byId.values()) {
        if (first === entry) break;
        if (chain.includes(first)) return [];
      }
      const circle = [...chain, entry].map((link) => link.name).join(' → ');
      return [{ path, expected: 'a parent that is not below the class itself', received: circle }];
    }
    // A circle further up is the problem of the classes in it.
    if (chain.includes(above)) return [];
    chain.push(above);
  }
  if (chain.length - 1 > LONGEST_CHAIN) {
    return [
      {
        path,
        expected: `at most ${LONGEST_CHAIN} classes above a class`,
        received: `${chain.length - 1}`,
        hint: 'the kernel refuses it: tree is too deep',
      },
    ];
  }
  return [];
}

/** Problems of what an older tc cannot send. */
function classProblems(entry: Entry, tc: TcRules): ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  const { values, name } = entry;
  const refuse = (key: string, expected: string, received: string): void => {
    problems.push({ path: ['classes', name, key], expected: `${expected} with tc ${tc.version}`, received });
  };
  for (const key of ['rate', 'ceil'] as const) {
    const rate = values[key];
    if (rate === undefined) continue;
    if (!tc.wideRates && bytesPerSecond(rate) >= NARROW_RATE_LIMIT) {
      refuse(key, 'less than 2^32 bytes/s', `${bytesPerSecond(rate)} bytes/s`);
    }
  }
  if (tc.foldsOverhead) {
    for (const key of ['overhead', 'mpu'] as const) {
      if (values[key] > BYTE_MAX) refuse(key, `at most ${BYTE_MAX} bytes`, `${values[key]} bytes`);
    }
  }
  if (!tc.linklayer && values.linklayer !== 'ethernet') refuse('linklayer', 'ethernet', values.linklayer);
  return problems;
}

/** Problems of leaves' settings at classes that are no leaves, and of a queue set twice. */
function innerProblems(entries: readonly Entry[]): ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  const parents = new Set(entries.map((entry) => entry.values.parent));
  for (const { name, id, values } of entries) {
    for (const key of ['qdisc', 'limit'] as const) {
      if (values[key] === undefined) continue;
      if (parents.has(id)) {
        problems.push({
          path: ['classes', name, key],
          expected: 'a leaf',
          received: `${name}, which has children`,
          hint: 'packets wait in leaves only',
        });
      } else if (key === 'limit' && values.qdisc !== undefined) {
        problems.push({
          path: ['classes', name, 'limit'],
          expected: 'either limit or qdisc',
          received: 'both',
          hint: 'give the limit to the qdisc',
        });
      }
    }
  }
  return problems;
}

function defaultProblems(
  id: number | undefined,
  first: Entry,
  byId: ReadonlyMap<number, Entry>,
  kernel: KernelRules | undefined,
): ParameterProblem[] {
  if (id === undefined || id === 0 || id === handleOf(first.id) || byId.has(id)) return [];
  const known = [...byId.values()].map((entry) => entry.name).join(', ');
  const hint = `classes are ${known}; without default, packets that name no leaf go to the direct queue, unshaped`;
  const what = kernel === undefined ? 'a class of this qdisc' : 'a leaf of this qdisc';
  return [{ path: ['default'], expected: what, received: formatClassId(id), hint }];
}

/** Why something that reads like a class id is none. */
function hintAt(id: number | undefined): { hint?: string } {
  if (id === undefined) return {};
  if (handleOf(id) === 0) return { hint: "0: is no qdisc's handle; the number before the colon goes from 1 to ffff" };
  return { hint: `${formatClassId(id)} is the qdisc itself; the number of a class goes from 1 to ffff` };
}
