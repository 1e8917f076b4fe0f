import { describe, expect, it } from 'vitest';
import * as registry from '../../../models/registry.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { ScenarioError } from '../../../sim/scenario/problem.ts';

/** A scenario with two leaves, the given filters and one flow. */
function load(filters: string, flow: string) {
  const yaml = `
duration: 1s
hops:
  h:
    shaper: htb
    classes: { "1:1": { rate: 2mbit }, "1:10": { parent: "1:1", rate: 1mbit }, "1:20": { parent: "1:1", rate: 1mbit } }
    filters: [${filters}]
  i: { link: { rate: 1mbit } }
flows:
  f: { source: cbr, rate: 1mbit, size: 1014b, via: [i, h], ${flow} }
`;
  return loadScenario(yaml, 'x.yaml', { registry }).first.flows[0]!;
}
const problems = (filters: string, flow = ''): string[] => {
  try {
    load(filters, flow);
    return [];
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    return error.problems.map(({ path, expected }) => `${path.join('.')}: expected ${expected}`);
  }
};
const SSH = '{ match: u32 match ip dport 22 0xffff, class: "1:10" }';

describe('filters of a hop', () => {
  it('choose the class at their hop and nowhere else', () => {
    expect(load(SSH, 'dport: 22').priorities).toEqual([0, 0x10010]);
    expect(load(SSH, 'dport: 23').priorities).toEqual([0, 0]);
  });
  it('leave a flow alone that names its class', () => {
    const flow = load(SSH, 'dport: 22, class: "1:20"');
    expect(flow.priority).toBe(0x10020);
    expect(flow.priorities).toBeUndefined();
  });
  it('are asked by prio, then in the order of the file', () => {
    const all = (prio: number): string => `{ match: matchall, prio: ${prio}, class: "1:20" }`;
    expect(load(`${all(2)}, ${SSH}`, 'dport: 22').priorities?.[1]).toBe(0x10010);
    expect(load(`${all(1)}, ${SSH}`, 'dport: 22').priorities?.[1]).toBe(0x10020);
  });
  it('see the fields of the flow, its protocol and the length of its packets', () => {
    const by = (match: string): string => `{ match: ${match}, class: "1:10" }`;
    const fields = 'src: 10.1.2.3, dst: 10.9.0.1, sport: 5000, proto: tcp, tos: 0x10, mark: 6';
    for (const match of [
      'u32 match ip src 10.1.0.0/16 match ip protocol 6 0xff',
      'u32 match ip sport 5000 0xffff match ip tos 0x10 0xff',
      // 1,014 bytes less the Ethernet header.
      'u32 match u16 1000 0xffff at 2',
      'fw 6',
      'flower ip_proto tcp dst_ip 10.9.0.0/24 src_port 4000-6000',
    ]) {
      expect(load(by(match), fields).priorities?.[1], match).toBe(0x10010);
      expect(load(by(match), 'src: 192.168.0.1').priorities?.[1], match).toBe(match.includes('u16') ? 0x10010 : 0);
    }
  });
  it('of an inner class are asked for what leads there', () => {
    const filters =
      '{ match: matchall, class: "1:1" }, { parent: "1:1", match: u32 match ip dport 22 0xffff, class: "1:10" }';
    expect(load(filters, 'dport: 22').priorities?.[1]).toBe(0x10010);
  });
  it('of other protocols never match', () => {
    expect(load('{ protocol: ipv6, match: matchall, class: "1:10" }', '').priorities?.[1]).toBe(0);
  });
  it('are refused with their place', () => {
    expect(problems('{ match: u32 match ip dprt 22 0xffff, class: "1:10" }')).toEqual([
      'hops.h.filters.0.match: expected src, dst, sport, dport, protocol, tos, dsfield, ihl or icmp_type',
    ]);
    expect(problems('{ match: matchall, class: "1:30" }')).toEqual([
      'hops.h.filters.0.class: expected a class of this hop',
    ]);
    expect(problems('{ match: matchall }')).toEqual(['hops.h.filters.0.class: expected the class that it sends to']);
    expect(problems(SSH, 'src: 10.0.0.300')).toEqual(['flows.f.src: expected an IPv4 address such as 10.0.0.1']);
    expect(problems(SSH, 'proto: ftp')).toEqual(['flows.f.proto: expected a protocol such as tcp, udp or 17']);
  });
});
