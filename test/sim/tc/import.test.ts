import { describe, expect, it } from 'vitest';
import { importTc } from '../../../sim/tc/import.ts';
import { complaints, hopOf, imported, ran } from './support.ts';

const HTB =
  'tc qdisc add dev eth0 root handle 1: htb default 10\ntc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit\n';

describe('what is given from outside, or by nobody', () => {
  const script = (head: string, tc: string): string =>
    `${head}\n${tc} qdisc add dev eth0 root handle 1: htb default 10\n${tc} class add dev eth0 parent 1: classid 1:10 htb rate $RATE\n`;
  it.each([
    ['$TC', '2: taken for a tc command: TC is set nowhere before'],
    ['${CMD} -force', '2: taken for a tc command: CMD is set nowhere before'],
    ['$1', '2: taken for a tc command: $1 is an argument of the script'],
  ])('a command %s that nobody sets is taken for tc where its words are those of tc, and told once', (tc, told) => {
    const { loaded, messages } = imported(script('RATE=5mbit', tc));
    expect(complaints(messages)).toEqual([told]);
    expect(loaded.first.hops[0]?.shaper).toMatchObject({ kind: 'htb', values: { classes: { '1:10': { rate: 5e6 } } } });
  });
  it('any other command that nobody sets is told once', () => {
    const { messages } = imported(`${HTB}$IPT -A FORWARD -j DROP\n$IPT -A INPUT -j DROP\n`);
    expect(complaints(messages)).toEqual(['3: not read, as nobody knows the command: IPT is set nowhere before']);
  });
  it.each([
    ['', { RATE: '5mbit' }, []],
    ['RATE=${RATE:-1mbit}', { RATE: '5mbit' }, []],
    ['RATE=$((KBIT))kbit', { KBIT: '5000' }, []],
    [
      'RATE=5mbit',
      { NOPE: '1' },
      ['1: the value given for NOPE changes nothing: nothing that is read of the script uses it'],
    ],
    ['RATE=1mbit', { RATE: '5mbit' }, []],
    ['RATE=$1', { RATE: '5mbit' }, []],
  ])('after "%s" the values %j are told where they change nothing', (head, variables, told) => {
    const { messages, document } = importTc(script(head, 'tc'), 'test.sh', { variables });
    expect(complaints(messages)).toEqual(told);
    expect(document).toMatchObject({ hops: { eth0: { classes: { '1:10': { rate: expect.stringMatching(/^5/) } } } } });
  });
});

describe('the many ways to call tc', () => {
  it.each([
    'tc qdisc add dev eth0 root tbf rate 1mbit burst 10k latency 50ms',
    '/usr/sbin/tc qdisc add dev eth0 root tbf rate 1mbit burst 10k latency 50ms',
    'sudo tc qdisc replace dev eth0 root tbf rate 1mbit buffer 10kb latency 50000',
    '$SUDO tc q a dev eth0 root tbf rate 1000kbit burst 10240 latency 50msec || true',
    'qdisc add dev eth0 root tbf rate 1mbit burst 10k latency 50ms',
    '+ tc qdisc add dev eth0 root tbf rate 1mbit burst 10k latency 50ms',
    'root@gate:~# tc qdisc add root dev eth0 tbf rate 1mbit burst 10k latency 50ms',
    '# tc qdisc add dev eth0 root tbf rate 1mbit burst 10k latency 50ms',
    "'tc' 'qdisc' 'add' 'dev' 'eth0' 'root' 'tbf' 'rate' '1mbit' 'burst' '10k' 'latency' '50ms'",
    'tc -force -batch - <<X\nqdisc add dev eth0 root tbf rate 1mbit burst 10k latency 50ms\nX',
  ])('%s', (script) => {
    const { loaded, messages } = imported(script);
    expect(complaints(messages)).toEqual([]);
    expect(loaded.first.hops[0]?.shaper).toMatchObject({
      kind: 'tbf',
      values: { rate: 1e6, burst: 10240, latency: 50e6 },
    });
  });
  it('a namespace keeps its devices apart', () => {
    const script = 'ip netns exec red tc qdisc add dev eth0 root pfifo\ntc -n blue qdisc add dev eth0 root pfifo';
    expect(imported(script).loaded.first.hops.map((hop) => hop.name)).toEqual(['red.eth0', 'blue.eth0']);
  });
});

describe('class ids', () => {
  it.each([
    ['1:10', '1:10'],
    [':10', '1:10'],
    ['10', '1:10'],
    ['0x1:0x10', '1:10'],
    ['1:A', '1:a'],
  ])('%s is class %s', (written, id) => {
    const classes = hopOf(
      `tc qdisc add dev eth0 root handle 1: htb\ntc class add dev eth0 parent 1: classid ${written} htb rate 1mbit`,
    ).classes;
    expect(Object.keys(classes as object)).toEqual([id]);
  });
  it('default is hexadecimal', () => {
    const script =
      'tc qdisc add dev eth0 root handle 1: htb default 20\ntc class add dev eth0 parent 1: classid 1:20 htb rate 1mbit';
    expect(hopOf(script).default).toBe('1:20');
  });
});

describe('commands change what is there', () => {
  it('change replaces all options of a class, as tc sends them all', () => {
    const classes = hopOf(`${HTB}tc class change dev eth0 classid 1:10 htb rate 7mbit`).classes;
    expect(classes).toEqual({ '1:10': { rate: '7mbit' } });
  });
  it('del of the root removes classes and filters', () => {
    const script = `${HTB}tc qdisc del dev eth0 root\ntc qdisc add dev eth0 root pfifo limit 7`;
    expect(hopOf(script)).toMatchObject({ shaper: 'pfifo', limit: 7 });
  });
  it.each([
    [
      'tc class add dev eth0 parent 1:9 classid 1:11 htb rate 1mbit',
      'there is no class 1:9: the kernel makes 1:11 a class without parent',
    ],
    [
      'tc qdisc change dev eth0 root handle 1: htb default 11',
      'an htb that is there cannot be changed; the kernel refuses it',
    ],
    [
      'tc filter add dev eth0 parent 1: protocol ipv6 u32 match ip6 dport 80 0xffff flowid 1:10',
      'the filter for IPv6 is left out, as flows are IPv4',
    ],
    ['tc class add dev eth0 parent 2: classid 2:11 htb rate 1mbit', 'eth0 has no qdisc 2:'],
    ['tc class add dev eth0 parent 1: classid 1:10 htb rate 1mbit', 'there is a class 1:10 already (line 2)'],
    ['tc class add dev eth0 parent 1: classid 1:11 htb ceil 1mbit', '"rate" is required'],
    ['tc class add dev eth0 parent 1: classid 1:11 htb rate 1furlong', '"1furlong" is not a rate such as 10mbit'],
    ['tc class add dev eth0 parent 1: classid 1:zz htb rate 1mbit', '"1:zz" is no class id'],
    ['tc class add parent 1: classid 1:11 htb rate 1mbit', 'no device is given'],
    ['tc class add dev eth0 parent 1: classid 1:11 hfsc sc rate 1mbit', 'classes of kind "hfsc" cannot be simulated'],
    [
      'tc qdisc add dev eth0 root tbf rate 1mbit burst 1k latency 1s',
      'there is a htb at the root of eth0 already; tc refuses a second one',
    ],
    ['tc qdisc add dev eth1 root tbf rate 1mbit', 'tbf: "burst" is required'],
    ['tc qdisc add dev eth1 root cake bandwidth 1mbit', 'a qdisc of kind "cake" cannot be simulated'],
    ['tc qdisc add dev eth0 parent 1:11 sfq', 'eth0 has no class 1:11'],
    ['tc filter add dev eth0 parent ffff: matchall action drop', 'eth0 has no ingress qdisc'],
    ['tc filter add dev eth0 parent 1: u32 match ip dport 22 0xffff', 'the filter sends to no class'],
    [
      'tc filter add dev eth0 parent 1: u32 match ip dport x 0xffff flowid 1:10',
      'u32: expected a number from 0 to 65535 but received "x"',
    ],
    ['tc filter add dev eth0 parent 1: basic match x flowid 1:10', 'filters of kind basic are not interpreted'],
    ['tc frobnicate add', 'tc frobnicate is not interpreted'],
    ['tc qdisc shake dev eth0', '"shake" is no command of tc'],
    ['tc qdisc add dev', '"dev" wants a device behind it, but the command ends there'],
  ])('%s: %s', (command, complaint) => {
    const { messages } = imported(`${HTB}${command}\n`);
    expect(complaints(messages)).toEqual([`3: ${complaint}`]);
  });
});

describe('what a scenario does not know', () => {
  it('is listed and kept as a comment', () => {
    const { yaml, messages } = imported(
      `${HTB}tc qdisc add dev eth0 parent 1:10 netem delay 10ms 2ms distribution experimental seed 7\n`,
    );
    expect(complaints(messages)).toEqual([
      '3: not imported: netem: distribution experimental',
      '3: not imported: netem: seed 7',
    ]);
    expect(yaml).toContain('# not imported (line 3): netem: seed 7');
  });
  it('tells the way out once', () => {
    const { messages } = importTc(
      'for i in $(ls); do tc a; done\nif x; then tc b; fi\ntc qdisc add dev eth0 root pfifo limit $(nproc)\ntc qdisc add dev eth1 root pfifo',
      'x',
    );
    expect(messages.filter(({ hint }) => hint?.includes('--recorder'))).toHaveLength(1);
    expect(messages[0]).toMatchObject({ line: 1, severity: 'error' });
  });
  it('nothing at all is said, too', () => {
    expect(importTc('echo hello', 'x')).toMatchObject({ yaml: undefined, messages: [{ severity: 'error' }] });
  });
  it('a class that the default names and nobody adds', () => {
    const { messages, loaded } = imported(
      'tc qdisc add dev eth0 root handle 1: htb default 99\ntc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit',
    );
    expect(complaints(messages)).toEqual([
      '1: not imported: default 99: there is no class 1:99, so that packets without a class pass unshaped',
    ]);
    expect(loaded.first.hops[0]?.shaper?.values.default).toBeUndefined();
  });
});

describe('filters decide the class', () => {
  const tree = [
    'tc qdisc add dev eth0 root handle 1: htb default 30',
    'tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit',
    'tc class add dev eth0 parent 1:1 classid 1:10 htb rate 1mbit',
    'tc class add dev eth0 parent 1:1 classid 1:20 htb rate 2mbit',
    'tc class add dev eth0 parent 1:1 classid 1:30 htb rate 3mbit',
  ].join('\n');
  it.each([
    'u32 match ip dport 22 0xffff',
    'u32 match ip sport 1024 0xfc00 match ip protocol tcp 0xff',
    'u32 match ip src 10.1.2.3/32 match ip dst 192.168.0.0/16',
    'u32 match ip tos 0x10 0xff',
    'u32 match u8 0x10 0xff at 1',
    'u32 match u16 0x0016 0xffff at 22',
    'u32 match u32 0x00160000 0xffff0000 at nexthdr+0',
    'u32 match tcp dst 80 0xffff',
    'handle 6 fw',
    'handle 0x40/0xf0 fw',
    'flower ip_proto udp dst_port 5000-5010',
    'flower src_ip 10.0.0.0/8 ip_tos 0xb8/0xfc',
  ])('%s', (selector) => {
    const { loaded, messages, document } = imported(
      `${tree}\ntc filter add dev eth0 parent 1: protocol ip prio 1 ${selector} flowid 1:10\n`,
    );
    expect(complaints(messages)).toEqual([]);
    const flow = (document?.flows as Record<string, Record<string, unknown> | undefined> | undefined)?.['to-1:10'];
    expect(flow).toBeDefined();
    expect(flow?.class).toBeUndefined();
    expect(loaded.first.flows.find(({ name }) => name === 'to-1:10')?.priority).toBe(0x10010);
    expect(ran(loaded).flows['to-1:10']?.bitsPerSecond.accounted).toBeCloseTo(1e6, -4);
  });
  it('the first that matches wins, by preference and not by line', () => {
    const filters = [
      'tc filter add dev eth0 parent 1: protocol ip prio 9 matchall flowid 1:20',
      'tc filter add dev eth0 parent 1: protocol ip prio 2 u32 match ip dport 22 0xffff flowid 1:10',
    ].join('\n');
    const { loaded } = imported(`${tree}\n${filters}`);
    const priorities = Object.fromEntries(loaded.first.flows.map(({ name, priority }) => [name, priority]));
    expect(priorities).toEqual({ 'to-1:10': 0x10010, 'to-1:20': 0x10020, 'to-1:30': 0x10030 });
  });
  it('a class that others always come before is named by its flow', () => {
    const { document } = imported(
      `${tree}\ntc filter add dev eth0 parent 1: prio 1 matchall flowid 1:20\ntc filter add dev eth0 parent 1: prio 2 u32 match ip dport 1 0xffff flowid 1:10`,
    );
    expect(document?.flows).toMatchObject({ 'to-1:10': { class: '1:10' } });
  });
});

describe('ingress', () => {
  it.each([
    ['default 10', '1:10', 'its packets go to 1:10'],
    ['default 99', '1:', 'its packets pass unshaped, as there is no default class'],
    ['', '1:', 'its packets pass unshaped, as there is no default class'],
  ])('a filter to a class that htb does not have takes its packets where htb does (%s)', (standard, target, hint) => {
    const script = `tc qdisc add dev eth0 root handle 1: htb ${standard}
tc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit
tc filter add dev eth0 parent 1: prio 1 protocol ip u32 match ip dport 22 0xffff flowid 1:77
tc filter add dev eth0 parent 1: prio 2 protocol ip u32 match ip dport 23 0xffff flowid 1:10`;
    const { loaded, messages, yaml, lineOf } = imported(script);
    expect(messages).toContainEqual({
      line: 3,
      severity: 'warning',
      text: 'the filter sends to 1:77, which does not exist',
      hint,
    });
    expect(complaints(messages).filter((text) => text.includes('filter'))).toHaveLength(1);
    expect(yaml).toContain('# the filter of line 3 sends to 1:77, which does not exist');
    const hop = loaded.document as { hops: { eth0: { filters: { class: string }[] } } };
    expect(hop.hops.eth0.filters.map((filter) => filter.class)).toEqual([target, '1:10']);
    expect([0, 1].map((i) => lineOf(['hops', 'eth0', 'filters', String(i), 'class']))).toEqual([3, 4]);
  });
  it('a filter to a band that prio does not have takes its packets where prio does', () => {
    const script = (bands: string): string => `tc qdisc add dev eth0 root handle 1: prio ${bands}
tc filter add dev eth0 parent 1: prio 1 protocol ip u32 match ip dport 22 0xffff flowid 1:7
tc filter add dev eth0 parent 1: prio 2 protocol ip u32 match ip dport 23 0xffff flowid 2:3`;
    const targets = (bands: string): unknown =>
      (hopOf(script(bands)).filters as { class: string }[]).map((filter) => filter.class);
    // The band of priority 0 is the second unless the priomap says otherwise; only the minor number counts.
    expect(targets('')).toEqual(['1:2', '1:3']);
    expect(targets('priomap 2 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1')).toEqual(['1:3', '1:3']);
    expect(targets('bands 8')).toEqual(['1:7', '1:3']);
  });
  it('fq has the options of tc', () => {
    const options =
      'limit 500 flow_limit 50 quantum 3028 initial_quantum 15140 maxrate 3mbit low_rate_threshold 100kbit refill_delay 30ms';
    const { loaded, messages } = imported(`tc qdisc add dev eth0 root fq ${options} horizon 2s`);
    expect(complaints(messages)).toEqual(['1: not imported: fq: horizon 2s']);
    expect(loaded.first.hops[0]?.shaper).toMatchObject({
      kind: 'fq',
      values: {
        limit: 500,
        flowLimit: 50,
        quantum: 3028,
        initialQuantum: 15_140,
        maxrate: 3e6,
        lowRateThreshold: 1e5,
        refillDelay: 30e6,
      },
    });
  });
  it('a policer is a hop of its own', () => {
    const script =
      'tc qdisc add dev eth0 ingress\ntc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 police rate 2mbit burst 20k drop flowid :1';
    const { loaded } = imported(script);
    expect(loaded.first.hops[0]).toMatchObject({
      name: 'eth0-ingress',
      shaper: { kind: 'police', values: { rate: 2e6, burst: 20480, exceed: 'drop', ingress: true } },
    });
    // 2 Mbit/s and a bucket of 20,480 bytes in 10 s, counted with the Ethernet header that the policer does not see.
    const received = ran(loaded).flows['into-eth0-ingress']?.receivedBytes ?? 0;
    expect(received / ((2.5e6 + 20480) * (1514 / 1500))).toBeCloseTo(1, 2);
  });
  const redirecting = (control: string): string =>
    [
      'tc qdisc add dev eth0 handle ffff: ingress',
      `tc filter add dev eth0 parent ffff: matchall action police rate 9mbit burst 90k ${control} action mirred egress redirect dev ifb0`,
      'tc qdisc add dev ifb0 root tbf rate 5mbit burst 20k latency 50ms',
    ].join('\n');

  it('what is redirected goes through the policer and the other device', () => {
    const { loaded } = imported(redirecting('conform-exceed drop/pipe'));
    expect(loaded.first.flows.map(({ via }) => via)).toEqual([['eth0-ingress', 'ifb0']]);
  });

  it.each([
    ['drop', 'ok', 'drop'],
    ['conform-exceed drop', 'ok', 'drop'],
    ['conform-exceed pipe', 'ok', 'drop'],
    ['conform-exceed reclassify/continue', 'continue', 'reclassify'],
  ])(
    'a redirection behind a policer with %s is not reached, which is told with the way out',
    (control, ends, exceed) => {
      const { loaded, messages } = imported(redirecting(control));
      expect(loaded.first.flows.map(({ via }) => via)).not.toContainEqual(['eth0-ingress', 'ifb0']);
      expect(
        messages.filter(({ line, severity }) => line === 2 && severity === 'warning').map(({ text }) => text),
      ).toEqual([
        `not imported: mirred egress redirect dev ifb0: a packet that conforms to the policer before it ends there (${ends}) and is not redirected; to redirect it, let it go on with conform-exceed ${exceed}/pipe`,
      ]);
    },
  );
});

describe('netem', () => {
  const qdiscOf = (options: string): unknown => {
    const { classes } = hopOf(`${HTB}tc qdisc add dev eth0 parent 1:10 netem ${options}\n`) as {
      classes: Record<string, { qdisc?: unknown }>;
    };
    return classes['1:10']?.qdisc;
  };

  it('that a link cannot do stays a qdisc', () => {
    expect(qdiscOf('delay 10ms 2ms 25% distribution normal duplicate 1% 5 corrupt 0.1% reorder 25% 50% gap 5')).toEqual(
      {
        kind: 'netem',
        delay: '10ms',
        jitter: '2ms',
        delayCorrelation: '25%',
        distribution: 'normal',
        duplicate: '1%',
        duplicateCorrelation: '5%',
        corrupt: '0.1%',
        reorder: '25%',
        reorderCorrelation: '50%',
        gap: 5,
      },
    );
  });
  it.each([
    ['loss state 1% 90%', { lossState: { p13: '1%', p31: '90%' } }],
    [
      'loss gemodel 1 10 70 0.1 ecn',
      { lossGemodel: { p: '1%', r: '10%', lossInBad: '70%', lossInGood: '0.1%' }, ecn: true },
    ],
    ['slot 5ms 10ms packets 3 bytes 10k', { slot: { minDelay: '5ms', maxDelay: '10ms', packets: 3, bytes: '10k' } }],
    ['slot distribution pareto 5ms 1ms', { slot: { distribution: 'pareto', delay: '5ms', jitter: '1ms' } }],
    ['rate 1mbit -14 48 5', { rate: '1mbit', packetOverhead: -14, cellSize: 48, cellOverhead: 5 }],
    // As tc shows them.
    [
      'limit 1000 loss state p13 10% p31 90% p32 0% p23 100% p14 0%',
      { limit: 1000, lossState: { p13: '10%', p31: '90%', p32: '0%', p23: '100%', p14: '0%' } },
    ],
    [
      'loss gemodel p 1% r 10% 1-h 70% 1-k 0.1%',
      { lossGemodel: { p: '1%', r: '10%', lossInBad: '70%', lossInGood: '0.1%' } },
    ],
    ['rate 1Mbit packetoverhead 14 cellsize 48', { rate: '1Mbit', packetOverhead: 14, cellSize: 48 }],
  ])('%s', (options, expected) => {
    expect(qdiscOf(options)).toEqual({ kind: 'netem', ...expected });
  });
  it('of a table that only its owner has is told', () => {
    const { messages } = imported(`${HTB}tc qdisc add dev eth0 parent 1:10 netem slot distribution mine 5ms 1ms\n`);
    expect(complaints(messages)).toEqual(['3: not imported: netem: slot distribution mine']);
  });
});

describe('a damaged script', () => {
  const errorsOf = (text: string): string[] =>
    importTc(text, 'x.sh')
      .messages.filter(({ severity }) => severity === 'error')
      .map(({ line, text: said }) => `${line}: ${said}`);

  it.each([
    ['case $1 in\nstart)\n  echo on\n  ;;\n', 3],
    ['case $1 in a | b) echo on ;;\n', 3],
    ['case $1 in a) ;; esac\ncase $2 in\n  (b) echo on\n', 4],
  ])('with a case that nothing ends is told of it, with its line: %j', (open, line) => {
    expect(errorsOf(`${HTB}${open}`)).toEqual([`${line}: expected an "esac" that ends the "case"`]);
  });

  it('that only speaks of a case is not', () => {
    expect(errorsOf(`${HTB}echo in case x in doubt\necho case x in a\n`)).toEqual([]);
  });

  it('cannot have a device that is called as no hop can be', () => {
    const script = HTB.replaceAll('eth0', '__proto__');
    const { document } = importTc(script, 'x.sh');
    expect(document).toBeUndefined();
    expect(errorsOf(script)[0]).toBe('1: a scenario can have no hop that is called __proto__');
    expect(Object.keys(importTc(HTB.replaceAll('eth0', 'constructor'), 'x.sh').document!.hops as object)).toEqual([
      'constructor',
    ]);
  });
});
