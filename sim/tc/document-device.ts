import { MATCH_ALL } from '../scenario/common-parameters.ts';
import { writeClassId } from '../units/class-id.ts';
import type { TcDevice, TcFilter } from './model.ts';
import type { Mapping } from './scenario-qdisc.ts';

/** `device:` of a hop: the name alone where there is no more to say. */
export function deviceOf(name: string, redirects: readonly Mapping[], classId?: number): string | Mapping {
  if (redirects.length === 0 && classId === undefined) return name;
  return {
    name,
    ...(classId === undefined ? {} : { class: writeClassId(classId) }),
    ...(redirects.length === 0 ? {} : { redirects }),
  };
}

/** `device:` of a policer, with the filter that it hangs on. */
export function policerDevice(name: string, filter: TcFilter): string | Mapping {
  const keys = filterKeys(filter);
  return Object.keys(keys).length === 0 ? name : { name, filter: keys };
}

/** The filters that redirect packets to a device. */
export function redirectsTo(name: string, devices: readonly TcDevice[]): Mapping[] {
  return devices.flatMap((device) =>
    device.filters
      .filter(({ actions }) => actions.some((action) => action.kind === 'redirect' && action.device === name))
      .map((filter) => ({
        from: device.name,
        ...(filter.parent === 'ingress' ? {} : { egress: true }),
        ...filterKeys(filter),
      })),
  );
}

/** What of a filter is not as it is where nothing is said. */
function filterKeys({ preference, protocol, selector }: TcFilter): Mapping {
  const prio = Math.max(1, preference);
  return {
    ...(prio === 1 ? {} : { prio }),
    ...(protocol === 'all' ? {} : { protocol }),
    ...(selector === MATCH_ALL ? {} : { match: selector }),
  };
}
