import { describe, expect, it } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import type { DeviceSpec } from '../../../sim/scenario/scenario.ts';

/** The checked device of one hop. */
function deviceOf(hop: string): DeviceSpec | undefined {
  const yaml = `duration: 1s\nhops:\n  h: { ${hop} }\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [h] }\n`;
  return loadScenario(yaml, 'x.yaml', { registry }).first.hops[0]?.device;
}
const POLICE = 'shaper: police, rate: 1mbit, burst: 10kb';

describe('the device of a hop', () => {
  it('is a name, written alone or under its key', () => {
    expect(deviceOf('shaper: pfifo, device: eth0')).toEqual({ name: 'eth0' });
    expect(deviceOf('shaper: pfifo, device: { name: eth0 }')).toEqual({ name: 'eth0' });
    expect(deviceOf('shaper: pfifo')).toBeUndefined();
  });
  it('has the filter of a policer, unless that takes all packets as it does where none is given', () => {
    expect(deviceOf(`${POLICE}, device: { name: eth0, filter: { prio: 5, match: matchall } }`)).toEqual({
      name: 'eth0',
      filter: { match: 'matchall', prio: 5, protocol: 'all' },
    });
    expect(deviceOf(`${POLICE}, device: { name: eth0, filter: { prio: 1 } }`)).toEqual({ name: 'eth0' });
  });
  it('has the class of a netem and the filters that redirect to it', () => {
    expect(deviceOf('device: { name: eth0, class: "1:1f" }, link: { delay: 1ms }')).toEqual({
      name: 'eth0',
      class: 0x1001f,
    });
    expect(deviceOf('shaper: pfifo, device: { name: ifb0, redirects: [{ from: eth0, prio: 2 }] }')).toEqual({
      name: 'ifb0',
      redirects: [{ from: 'eth0', egress: false, match: 'u32 match u32 0 0', prio: 2, protocol: 'all' }],
    });
  });
});
