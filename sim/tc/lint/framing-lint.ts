import { classFigures, htbRules, htbValues } from '../../../models/linux/htb/class-figures.ts';
import { type IgnoredFraming, ignoredFraming } from '../../../models/linux/ignored-framing.ts';
import { kernelOf } from '../../../models/linux/kernel-parameters.ts';
import type { KernelRules } from '../../../models/linux/kernels.ts';
import { withInherited } from '../../../models/linux/qdisc-base.ts';
import { framingOf } from '../../../models/linux/tbf-settings.ts';
import type { PacketFraming } from '../../../models/linux/tc.ts';
import type { NestedModel, Values } from '../../../models/model.ts';
import type { LintFinding } from './finding.ts';

/** Finds linklayer, overhead and mpu that the kernel takes and does not follow, also in qdiscs below. */
export function lintFraming({ kind, values }: NestedModel, path: readonly string[]): LintFinding[] {
  const { qdisc, classes = {} } = values as {
    readonly qdisc?: NestedModel;
    readonly classes?: Readonly<Record<string, { readonly qdisc?: NestedModel }>>;
  };
  const below = (child: NestedModel | undefined, at: readonly string[]): LintFinding[] =>
    child === undefined ? [] : lintFraming(withInherited(child, values), [...at, 'qdisc']);
  const inClasses = Object.entries(classes).flatMap(([name, entry]) => below(entry.qdisc, [...path, 'classes', name]));
  return [...ownFindings(kind, values, path), ...below(qdisc, path), ...inClasses];
}

function ownFindings(kind: string, values: Values, path: readonly string[]): LintFinding[] {
  if (kind === 'htb') {
    const { classes } = htbValues(values);
    return Object.keys(classes).flatMap((name) => {
      const { kernelFraming } = classFigures(htbValues(values), name);
      return findings(`class ${name}`, htbRules(htbValues(values)).kernel, kernelFraming, [...path, 'classes', name]);
    });
  }
  if ((kind !== 'tbf' && kind !== 'police') || values.rate === undefined) return [];
  return findings(`the ${kind}`, kernelOf(values), framingOf(values, 0), path);
}

function findings(who: string, kernel: KernelRules, framing: PacketFraming, path: readonly string[]): LintFinding[] {
  return ignoredFraming(kernel, framing).map((ignored) => finding(who, ignored, path));
}

function finding(who: string, { key, text }: IgnoredFraming, path: readonly string[]): LintFinding {
  return {
    rule: 'framing-ignored',
    path: [...path, key],
    text: `${who}: ${text}`,
    hint: `${key === 'mpu' ? 'leave a little of the rate for small packets' : 'take a lower rate'}, or a kernel that follows it`,
  };
}
