import type { HopSpec } from '../scenario/scenario.ts';
import { ExportFault, type ExportProblem } from './export-fault.ts';

/** Devices as a command line names them. */
export interface DeviceChoice {
  /** The only or first device that no packets are redirected to. */
  readonly first?: string;
  /** New names, by the device's name in the scenario, or by the hop's where it names no device. */
  readonly named: Readonly<Record<string, string>>;
}

/** Device of a single hop where nobody names one. */
const USUAL_DEVICE = 'eth0';
/** What a shell takes as one plain word and Linux as the name of a device. */
const PLAIN_NAME = /^(?!-)[\w.:@+-]{1,15}$/;

/** What a device is called in the scenario: its own name, or that of the hop which names none. */
export function deviceKey({ name, device }: HopSpec): string {
  return device?.name ?? name;
}

/**
 * Finds the devices of hops.
 *
 * @returns the device's name by its key
 * @throws ExportFault where one is not known, or cannot be called so
 */
export function nameDevices(hops: readonly HopSpec[], { first, named }: DeviceChoice): ReadonlyMap<string, string> {
  const fed = new Set(hops.filter(({ device }) => device?.redirects !== undefined).map(deviceKey));
  const keys = [
    ...new Set(hops.flatMap((hop) => [deviceKey(hop), ...(hop.device?.redirects ?? []).map(({ from }) => from)])),
  ];
  const said = new Set(
    hops.flatMap(({ device }) => [device?.name, ...(device?.redirects ?? []).map(({ from }) => from)]),
  );
  const firstKey = keys.find((key) => !fed.has(key)) ?? keys[0];
  const problems: ExportProblem[] = [];
  for (const key of Object.keys(named).filter((one) => !keys.includes(one))) {
    problems.push({
      text: `--dev: expected a device or hop that is exported but received ${JSON.stringify(key)}`,
      hint: keys.length === 0 ? 'nothing of the scenario can be set up with tc' : `there is ${keys.join(', ')}`,
    });
  }
  const missing: string[] = [];
  const names = new Map<string, string>();
  for (const key of keys) {
    const given = Object.hasOwn(named, key) ? named[key] : undefined;
    const usual = said.has(key) ? key : keys.length === 1 ? USUAL_DEVICE : undefined;
    const name = given ?? (key === firstKey ? first : undefined) ?? usual;
    if (name === undefined) missing.push(key);
    else if (!PLAIN_NAME.test(name)) {
      const text = `expected a device such as eth0 but received ${JSON.stringify(name)}`;
      problems.push({
        text: name === key ? `device of the scenario: ${text}` : `--dev: ${text}`,
        hint: name === key ? 'name another with --dev' : undefined,
      });
    } else names.set(key, name);
  }
  for (const key of missing)
    problems.push({ text: `hop ${key}: nobody says on which device it is set up`, hint: undefined });
  if (missing.length > 0) {
    const example = missing.map((key, i) => `--dev ${key}=eth${i + names.size}`).join(' ');
    problems.push({
      ...problems.pop()!,
      hint: `say it, for example ${example}, or give each hop its device: in the scenario`,
    });
  }
  if (problems.length > 0) throw new ExportFault('command line', problems);
  return names;
}
