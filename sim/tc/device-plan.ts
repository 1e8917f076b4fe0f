import { MATCH_ALL } from '../scenario/common-parameters.ts';
import type { DeviceFilter, HopSpec } from '../scenario/scenario.ts';
import { writeClassId } from '../units/class-id.ts';
import { type DeviceChoice, deviceKey, nameDevices } from './device-names.ts';
import { ExportFault, type ExportProblem } from './export-fault.ts';
import { QDISC_OPTIONS } from './option-tables.ts';

/** A filter at one side of a device that polices, redirects, or both. */
export interface SideFilter extends DeviceFilter {
  readonly isIngress: boolean;
  /** Policer that hangs on it. */
  readonly police?: HopSpec;
  /** Device that what it takes goes on to. */
  redirect?: string;
}

/** All that is to be set up on one network device. */
export interface DevicePlan {
  readonly name: string;
  /** Whether packets are redirected to it, as to an ifb. */
  isFed: boolean;
  /** The hop whose shaper is its root qdisc, or stands in the netem of `link`. */
  root?: HopSpec;
  /** The link that is its netem. */
  link?: HopSpec;
  /** Links that are a netem in one of its classes. */
  readonly classLinks: HopSpec[];
  readonly filters: SideFilter[];
}

/** Whether tc can set a hop up. */
export function isExported({ shaper, device }: HopSpec): boolean {
  if (shaper === undefined) return device !== undefined;
  return shaper.kind === 'police' || Object.hasOwn(QDISC_OPTIONS, shaper.kind);
}

/**
 * Sorts the hops by the devices that they are set up on, in the order of the scenario.
 *
 * @throws ExportFault where a device is not known, or two hops want the same place
 */
export function planDevices(hops: readonly HopSpec[], choice: DeviceChoice): readonly DevicePlan[] {
  return new Planner(nameDevices(hops, choice)).run(hops);
}

class Planner {
  readonly #names: ReadonlyMap<string, string>;
  readonly #plans = new Map<string, DevicePlan>();
  readonly #problems: ExportProblem[] = [];

  constructor(names: ReadonlyMap<string, string>) {
    this.#names = names;
  }

  run(hops: readonly HopSpec[]): readonly DevicePlan[] {
    for (const hop of hops) this.#hop(hop);
    for (const hop of hops) this.#redirects(hop);
    for (const plan of this.#plans.values()) this.#checkPreferences(plan);
    if (this.#problems.length > 0) throw new ExportFault('scenario', this.#problems);
    return [...this.#plans.values()];
  }

  #plan(key: string): DevicePlan {
    const name = this.#names.get(key)!;
    let plan = this.#plans.get(name);
    if (plan === undefined) {
      plan = { name, isFed: false, classLinks: [], filters: [] };
      this.#plans.set(name, plan);
    }
    return plan;
  }

  #hop(hop: HopSpec): void {
    const plan = this.#plan(deviceKey(hop));
    const { device, shaper } = hop;
    if (shaper?.kind === 'police') {
      const filter = device?.filter ?? { match: MATCH_ALL, prio: 1, protocol: 'all' };
      plan.filters.push({ ...filter, isIngress: shaper.values.ingress === true, police: hop });
    } else if (shaper !== undefined) {
      this.#checkFree(plan, hop, plan.root, 'root qdisc');
      plan.root ??= hop;
    } else if (device?.class === undefined) {
      this.#checkFree(plan, hop, plan.link, 'netem');
      plan.link ??= hop;
    } else {
      const there = plan.classLinks.find((other) => other.device?.class === device.class);
      this.#checkFree(plan, hop, there, `netem in ${writeClassId(device.class)}`);
      plan.classLinks.push(hop);
    }
  }

  #checkFree(plan: DevicePlan, hop: HopSpec, there: HopSpec | undefined, what: string): void {
    if (there === undefined) return;
    this.#problems.push({
      text: `hop ${hop.name}: ${plan.name} has a ${what} already, that of hop ${there.name}`,
      hint: `give the two hops devices of their own, or name another: --dev ${deviceKey(hop)}=NAME`,
    });
  }

  #redirects(hop: HopSpec): void {
    const target = this.#plan(deviceKey(hop));
    for (const { from, egress, match, prio, protocol } of hop.device?.redirects ?? []) {
      target.isFed = true;
      const { filters } = this.#plan(from);
      const same = filters.find(
        (filter) =>
          filter.isIngress === !egress &&
          filter.match === match &&
          filter.prio === prio &&
          filter.protocol === protocol &&
          filter.redirect === undefined,
      );
      if (same !== undefined) same.redirect = target.name;
      else filters.push({ match, prio, protocol, isIngress: !egress, redirect: target.name });
    }
  }

  /** The kernel keeps filters of one kind and protocol under a preference (net/sched/cls_api.c: tcf_chain_tp_find). */
  #checkPreferences({ name, filters }: DevicePlan): void {
    for (const [i, filter] of filters.entries()) {
      const kind = kindOf(filter);
      const other = filters
        .slice(0, i)
        .find(
          ({ isIngress, prio, protocol, ...rest }) =>
            isIngress === filter.isIngress &&
            prio === filter.prio &&
            (protocol !== filter.protocol || kindOf(rest) !== kind),
        );
      if (other === undefined) continue;
      const whose = filter.police === undefined ? `a redirection to ${filter.redirect}` : `hop ${filter.police.name}`;
      this.#problems.push({
        text: `${whose}: the filters of prio ${filter.prio} of ${name} are ${kindOf(other)} of protocol ${other.protocol}; the kernel refuses ${kind} of protocol ${filter.protocol} beside them`,
        hint: 'give it a prio of its own',
      });
    }
  }
}

function kindOf({ match }: { readonly match: string }): string {
  return match.trim().split(/\s+/)[0]!;
}
