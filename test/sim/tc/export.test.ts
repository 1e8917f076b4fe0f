import { describe, expect, it } from 'vitest';
import type { DeviceChoice } from '../../../sim/tc/device-names.ts';
import { exportTc } from '../../../sim/tc/export.ts';
import { ExportFault } from '../../../sim/tc/export-fault.ts';
import { importTc } from '../../../sim/tc/import.ts';
import { complaints, imported, scenarioOf } from './support.ts';

const HTB = `htb default 10
tc class add dev DEV parent 1: classid 1:10 htb rate 1mbit`;
const htbOn = (device: string): string => `tc qdisc add dev ${device} root handle 1: ${HTB.replace('DEV', device)}`;

/** Commands of a scenario in YAML. */
function commandsOf(hops: string, choice: DeviceChoice = { named: {} }): string[] {
  const via = [...hops.matchAll(/^ {2}([\w-]+):/gm)].map(([, name]) => name).join(', ');
  const loaded = scenarioOf(
    `duration: 1s\nhops:\n${hops}\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [${via}] }\n`,
  );
  return lines(exportTc(loaded.pointAt(0), loaded.document, choice).script);
}

/** What a script does, without what clears up before. */
function lines(script: string): string[] {
  return script.split('\n').filter((line) => line !== '' && !line.startsWith('#') && !/ del /.test(line));
}

/** What hinders an export: the texts and the hints. */
function hindrances(hops: string, choice?: DeviceChoice): { where: string; texts: string[]; hints: unknown[] } {
  try {
    commandsOf(hops, choice);
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    const { where, problems } = error;
    return { where, texts: problems.map(({ text }) => text), hints: problems.map(({ hint }) => hint) };
  }
  throw new Error('nothing hinders it');
}

/** A script imported and exported again, the same scenario as before. */
function again(script: string): string[] {
  const { loaded } = imported(script);
  const { script: commands, left } = exportTc(loaded.pointAt(0), loaded.document, { named: {} });
  expect(left).toEqual([]);
  const back = importTc(commands, 'again.sh');
  expect(complaints(back.messages)).toEqual([]);
  expect(scenarioOf(back.yaml!).first).toEqual(loaded.first);
  return lines(commands);
}

describe('an imported script goes out to the same devices', () => {
  it('a policer of what arrives and an HTB of what leaves share their device', () => {
    const found = again(`${htbOn('ppp0')}
tc qdisc add dev ppp0 handle ffff: ingress
tc filter add dev ppp0 parent ffff: protocol ip prio 50 u32 match ip src 0.0.0.0/0 police rate 3500kbit burst 10k drop flowid :1`);
    expect(found).toEqual([
      'tc qdisc add dev ppp0 root handle 1: htb default 10',
      'tc class add dev ppp0 parent 1: classid 1:10 htb rate 1mbit',
      'tc qdisc add dev ppp0 ingress',
      'tc filter add dev ppp0 parent ffff: protocol ip prio 50 u32 match ip src 0.0.0.0/0 action police rate 3500kbit burst 10240 conform-exceed drop',
    ]);
  });
  it('an ifb is made and fed by the filters that fed it', () => {
    const found = again(`tc qdisc add dev eth0 handle ffff: ingress
tc filter add dev eth0 parent ffff: protocol ip prio 7 u32 match ip dst 10.0.0.0/8 action mirred egress redirect dev ifb3
tc qdisc add dev eth9 clsact
tc filter add dev eth9 ingress prio 1 u32 match u32 0 0 action mirred egress redirect dev ifb3
tc filter add dev eth9 egress prio 2 u32 match ip dport 22 0xffff action mirred egress redirect dev ifb3
${htbOn('ifb3')}
${htbOn('eth0')}`);
    expect(found).toEqual([
      'ip link add ifb3 type ifb 2>/dev/null || true',
      'ip link set ifb3 up',
      'tc qdisc add dev eth0 root handle 1: htb default 10',
      'tc class add dev eth0 parent 1: classid 1:10 htb rate 1mbit',
      'tc qdisc add dev eth0 ingress',
      'tc filter add dev eth0 parent ffff: protocol ip prio 7 u32 match ip dst 10.0.0.0/8 action mirred egress redirect dev ifb3',
      'tc qdisc add dev ifb3 root handle 1: htb default 10',
      'tc class add dev ifb3 parent 1: classid 1:10 htb rate 1mbit',
      'tc qdisc add dev eth9 clsact',
      'tc filter add dev eth9 ingress protocol all prio 1 u32 match u32 0 0 action mirred egress redirect dev ifb3',
      'tc filter add dev eth9 egress protocol all prio 2 u32 match ip dport 22 0xffff action mirred egress redirect dev ifb3',
    ]);
  });
  it('what is policed and redirected by one filter stays one filter', () => {
    const found = again(`tc qdisc add dev eth0 ingress
tc filter add dev eth0 parent ffff: protocol ip prio 1 u32 match u32 0 0 action police rate 10mbit burst 60k conform-exceed drop/pipe action mirred egress redirect dev ifb0
tc qdisc add dev ifb0 root tbf rate 8mbit burst 15k latency 50ms`);
    expect(found.filter((line) => line.startsWith('tc filter'))).toEqual([
      'tc filter add dev eth0 parent ffff: protocol ip prio 1 u32 match u32 0 0 action police rate 10mbit burst 61440 conform-exceed drop/pipe action mirred egress redirect dev ifb0',
    ]);
  });
  it('policers of both sides stand on a clsact', () => {
    const found = again(`tc qdisc add dev eth3 clsact
tc filter add dev eth3 ingress protocol ip prio 1 u32 match ip src 10.1.0.0/16 action police rate 5mbit burst 40k conform-exceed drop
tc filter add dev eth3 ingress protocol ip prio 2 flower src_ip 10.2.0.0/16 action police rate 1mbit burst 40k conform-exceed drop
tc filter add dev eth3 egress matchall action police rate 20mbit burst 200k conform-exceed drop`);
    expect(found).toEqual([
      'tc qdisc add dev eth3 clsact',
      'tc filter add dev eth3 ingress protocol ip prio 1 u32 match ip src 10.1.0.0/16 action police rate 5mbit burst 40960 conform-exceed drop',
      'tc filter add dev eth3 ingress protocol ip prio 2 flower src_ip 10.2.0.0/16 action police rate 1mbit burst 40960 conform-exceed drop',
      'tc filter add dev eth3 egress protocol all prio 49152 matchall action police rate 20mbit burst 204800 conform-exceed drop',
    ]);
  });
  it.each([
    ['a link in front', 'delay 50ms loss 1% rate 5mbit limit 10000', 'tbf rate 20mbit burst 4kb latency 400ms'],
    [
      'a qdisc',
      'delay 50ms 10ms 25% distribution normal loss 1% 25% duplicate 0.1%',
      'tbf rate 20mbit burst 4kb latency 400ms',
    ],
    ['a link in front of classes', 'delay 20ms', HTB.replace('DEV', 'eth1').replaceAll('1:', '5:')],
  ])('a netem that the import takes for %s is a netem again', (_, options, below) => {
    const [netem, child] = again(
      `tc qdisc add dev eth1 root handle 1: netem ${options}\ntc qdisc add dev eth1 parent 1:1 handle 5: ${below}`,
    );
    expect(netem).toBe(`tc qdisc add dev eth1 root handle 10: netem ${options}`);
    const words = below.split('\n')[0]!.replace('4kb', '4096').replace('htb', 'handle 5: htb');
    expect(child).toBe(`tc qdisc add dev eth1 parent 10:1 ${words}`);
  });
  it('netems in classes and bands stand there again, with what they held', () => {
    const found = again(`tc qdisc add dev eth3 root handle 1: htb default 10
tc class add dev eth3 parent 1: classid 1:10 htb rate 1mbit
tc class add dev eth3 parent 1: classid 1:11 htb rate 1mbit
tc qdisc add dev eth3 parent 1:10 handle 20: netem delay 30ms
tc qdisc add dev eth3 parent 20:1 handle 30: sfq perturb 5
tc qdisc add dev eth3 parent 1:11 netem delay 40ms
tc qdisc add dev eth5 root handle 1: prio
tc qdisc add dev eth5 parent 1:2 netem loss 2%
tc qdisc add dev eth4 root netem delay 5ms`);
    expect(found.filter((line) => / (?:netem|sfq) /.test(line))).toEqual([
      'tc qdisc add dev eth3 parent 1:10 handle 10: netem delay 30ms',
      'tc qdisc add dev eth3 parent 10:1 sfq perturb 5',
      'tc qdisc add dev eth3 parent 1:11 handle 11: netem delay 40ms',
      'tc qdisc add dev eth5 parent 1:2 netem loss 2%',
      'tc qdisc add dev eth4 root netem delay 5ms',
    ]);
  });
  it('the length of the queue of a device is set again', () => {
    expect(again(`ip link set dev eth0 txqueuelen 50\n${htbOn('eth0')}`)[0]).toBe('ip link set dev eth0 txqueuelen 50');
  });
});

const TBF = 'shaper: tbf, rate: 1mbit, burst: 10kb, limit: 30kb';

describe('devices of the command line', () => {
  it('a single hop without a device is on eth0, or where --dev says', () => {
    expect(commandsOf(`  wan: { ${TBF} }`)).toEqual([
      'tc qdisc add dev eth0 root tbf rate 1mbit burst 10240 limit 30720',
    ]);
    expect(commandsOf(`  wan: { ${TBF} }`, { first: 'ppp7', named: {} })[0]).toContain(' dev ppp7 ');
  });
  it('the first device that is not fed by others takes the name that stands alone', () => {
    const hops = `  down: { device: { name: ifb0, redirects: [{ from: eth0 }] }, ${TBF} }\n  up: { device: eth0, ${TBF} }`;
    expect(commandsOf(hops, { first: 'wan', named: { ifb0: 'ifb9' } })).toEqual([
      'ip link add ifb9 type ifb 2>/dev/null || true',
      'ip link set ifb9 up',
      'tc qdisc add dev ifb9 root tbf rate 1mbit burst 10240 limit 30720',
      'tc qdisc add dev wan root tbf rate 1mbit burst 10240 limit 30720',
      'tc qdisc add dev wan ingress',
      'tc filter add dev wan parent ffff: protocol all prio 1 u32 match u32 0 0 action mirred egress redirect dev ifb9',
    ]);
  });
  it('several hops without a device must be named, all at once', () => {
    const hops = `  a: { ${TBF} }\n  b: { ${TBF} }\n  c: { device: eth0, ${TBF} }`;
    expect(hindrances(hops)).toEqual({
      where: 'command line',
      texts: ['hop a: nobody says on which device it is set up', 'hop b: nobody says on which device it is set up'],
      hints: [undefined, 'say it, for example --dev a=eth1 --dev b=eth2, or give each hop its device: in the scenario'],
    });
    expect(commandsOf(hops, { first: 'eth1', named: { b: 'eth2' } }).map((line) => line.slice(0, 21))).toEqual([
      'tc qdisc add dev eth1',
      'tc qdisc add dev eth2',
      'tc qdisc add dev eth0',
    ]);
  });
  it('names that nothing has, and names that no device can have, are refused', () => {
    const { texts, hints } = hindrances(`  a: { device: "x;y", ${TBF} }`, { named: { b: 'eth0' } });
    expect(texts).toEqual([
      '--dev: expected a device or hop that is exported but received "b"',
      'device of the scenario: expected a device such as eth0 but received "x;y"',
    ]);
    expect(hints).toEqual(['there is x;y', 'name another with --dev']);
  });
  it('two root qdiscs on one device are refused', () => {
    const { where, texts } = hindrances(`  a: { device: eth0, ${TBF} }\n  b: { device: eth0, ${TBF} }`);
    expect(where).toBe('scenario');
    expect(texts).toEqual(['hop b: eth0 has a root qdisc already, that of hop a']);
  });
  it('filters that the kernel keeps apart are refused under one prio', () => {
    const police = 'shaper: police, rate: 1mbit, burst: 10kb, ingress: true';
    const { texts } = hindrances(
      `  a: { device: eth0, ${police} }\n  b: { device: { name: eth0, filter: { match: matchall } }, ${police} }`,
    );
    expect(texts).toEqual([
      'hop b: the filters of prio 1 of eth0 are u32 of protocol all; the kernel refuses matchall of protocol all beside them',
    ]);
  });
});

describe('what tc has no words for', () => {
  it.each([
    ['a: { device: eth0, link: { delay: 1ms, queue: 10kb } }', 'a queue in bytes or time, which netem has in packets'],
    ['a: { device: eth0, link: { delay: 1ms, drop: [3] } }', 'drop, as netem loses at random'],
    ['a: { device: { name: eth0, class: "1:7" }, link: { delay: 1ms } }', 'its netem: eth0 has no class 1:7'],
  ])('%s is told', (hop, text) => {
    const loaded = scenarioOf(
      `duration: 1s\nhops:\n  ${hop}\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [a] }\n`,
    );
    expect(exportTc(loaded.pointAt(0), loaded.document, { named: {} }).left).toEqual([`hop a: ${text}`]);
  });
  it('a link without a device is no part of the script', () => {
    expect(commandsOf(`  a: { ${TBF} }\n  wire: { link: { delay: 20ms } }`)).toHaveLength(1);
  });
});
