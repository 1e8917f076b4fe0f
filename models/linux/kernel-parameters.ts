import type { ParameterProblem, Parameters, Values } from '../model.ts';
import { invariant } from '../model.ts';
import {
  defaultTcVersion,
  type KernelRules,
  kernelRelease,
  kernelRules,
  SUPPORTED_KERNELS,
  SUPPORTED_TCS,
  type TcRules,
  THREAD_KERNEL,
  tcRules,
} from './kernels.ts';

/** Kernel that a qdisc runs on where nothing else is said. */
export const DEFAULT_KERNEL = '6.18';

/** `kernel`; a nested qdisc has it from its parent. */
export const kernelParameter = {
  type: 'string',
  help: `Linux version whose rules apply; default ${DEFAULT_KERNEL}.`,
} as const satisfies Parameters[string];

/** `tc`; a nested qdisc has it from its parent. */
export const tcParameter = {
  type: 'string',
  help: "iproute2 version whose arithmetic prepares the kernel's numbers; default that of the kernel's time.",
} as const satisfies Parameters[string];

/** The kernel's version as a scenario says it; the thread's accounting is HTB's own, below it a newer kernel runs. */
function kernelVersion(values: Values): string {
  const version = (values.kernel as string | undefined) ?? DEFAULT_KERNEL;
  return version === THREAD_KERNEL ? DEFAULT_KERNEL : version;
}

/** The kernel as a scenario says it, or the default; `thread` stays what it is. */
export function kernelVersionOf(values: Values): string {
  return (values.kernel as string | undefined) ?? DEFAULT_KERNEL;
}

/** The version of tc as a scenario says it, or that of the kernel's time. */
export function tcVersionOf(values: Values): string {
  return (values.tc as string | undefined) ?? defaultTcVersion(kernelVersionOf(values));
}

/** Orders releases of {@link kernelReleaseOf}: `release(3, 6)`, `release(2, 6, 24)`. */
export function release(major: number, minor: number, patch = 0): number {
  return major * 1_000_000 + minor * 1000 + patch;
}

/** The kernel's release as a number, see {@link release}; stable updates count as their release. */
export function kernelReleaseOf(values: Values): number {
  const found = kernelRelease(kernelVersion(values));
  invariant(found !== undefined, `kernel ${kernelVersion(values)} is checked`);
  return found;
}

/** The kernel's rules of time and cost. */
export function kernelOf(values: Values): KernelRules {
  const found = kernelRules(kernelVersion(values));
  invariant(found !== undefined, `kernel ${kernelVersion(values)} is checked`);
  return found;
}

/** The rules of the tc that set the qdisc up. */
export function tcOf(values: Values): TcRules {
  const version = (values.tc as string | undefined) ?? defaultTcVersion(kernelVersion(values));
  const found = tcRules(version);
  invariant(found !== undefined, `tc ${version} is checked`);
  return found;
}

/** What is wrong with `kernel` and `tc`; `since` is the first kernel that the qdisc is modelled for, as release(3, 6). */
export function versionProblems(values: Values, since?: readonly [major: number, minor: number]): ParameterProblem[] {
  const problems: ParameterProblem[] = [];
  const kernel = values.kernel as string | undefined;
  const tc = values.tc as string | undefined;
  if (kernel !== undefined && kernelRules(kernel) === undefined) {
    problems.push({ path: ['kernel'], expected: `a Linux version (${SUPPORTED_KERNELS})`, received: `"${kernel}"` });
  }
  if (problems.length === 0 && since !== undefined && kernelReleaseOf(values) < release(...since)) {
    problems.push({
      path: ['kernel'],
      expected: `Linux ${since.join('.')} or later`,
      received: `"${kernel}"`,
      hint: 'older kernels have no such qdisc, or one that is not modelled',
    });
  }
  if (tc !== undefined && tcRules(tc) === undefined) {
    problems.push({ path: ['tc'], expected: `an iproute2 version (${SUPPORTED_TCS})`, received: `"${tc}"` });
  }
  return problems;
}
