import { describe, expect, it } from 'vitest';
import { importTc } from '../../../sim/tc/import.ts';
import { WAY_OUT } from '../../../sim/tc/recorder.ts';
import { complaints, hopOf, imported, ran } from './support.ts';

const TREE = [
  'tc qdisc add dev eth0 root handle 1: htb default 30',
  'tc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit',
  'tc class add dev eth0 parent 1:1 classid 1:10 htb rate 4mbit',
  'tc class add dev eth0 parent 1:1 classid 1:30 htb rate 6mbit',
].join('\n');
const TBF = 'root tbf rate 1mbit burst 10k latency 50ms';

const filtersOf = (script: string): { match: string; class: string }[] =>
  hopOf(script).filters as { match: string; class: string }[];
const hintsOf = (script: string): (string | undefined)[] =>
  importTc(script, 'x')
    .messages.filter(({ severity }) => severity !== 'info')
    .map(({ hint }) => hint);

describe('scripts as they are found', () => {
  it.each([
    ['a byte-order mark and Windows line ends', `\uFEFFtc qdisc add dev eth0 ${TBF}\r\n`],
    [
      'Markdown',
      `It doesn't work:\n\`\`\`bash\ntc qdisc add dev eth0 ${TBF}\n\`\`\`\nIf you know why, it's fine. I'm \`lost\`.\n`,
    ],
    [
      'a question with output',
      `I've this.\n# tc qdisc add dev eth0 ${TBF}\n# tc -s qdisc\nqdisc tbf 8001: root rate 1Mbit\n`,
    ],
    [
      'a hook of WireGuard',
      `[Interface]\nPostUp = tc qdisc add dev eth0 ${TBF}\nPostDown = tc qdisc del dev eth0 root\n`,
    ],
    [
      'a unit of systemd',
      `[Service]\nExecStart=/sbin/tc qdisc add dev eth0 ${TBF}\nExecStop=/sbin/tc qdisc del dev eth0 root\n`,
    ],
    [
      'ifupdown',
      `iface eth0 inet dhcp\n  up tc qdisc add dev $IFACE ${TBF}\n  down tc qdisc del dev $IFACE root || true\n`,
    ],
    ['a shell inside', `sudo sh -c "tc qdisc add dev eth0 ${TBF}; tc qdisc show"`],
    ['another machine', `ssh gate 'tc qdisc add dev eth0 ${TBF}'`],
    ['a wrapper', `run() { echo "$*"; "$@"; }\nrun tc qdisc add dev eth0 ${TBF}`],
    ['a pipe', `echo "qdisc add dev eth0 ${TBF}" | tc -force -batch -`],
    ['a container', `docker exec "$1" tc qdisc add dev eth0 ${TBF}`],
  ])('%s', (_, script) => {
    const { loaded, messages } = imported(script);
    expect(complaints(messages)).toEqual([]);
    expect(loaded.first.hops[0]?.shaper).toMatchObject({ kind: 'tbf', values: { rate: 1e6 } });
  });
  it('a command that nobody knows is taken to run the tc command behind it', () => {
    const script = `nsx gate tc qdisc add dev eth0 ${TBF}\nnsx gate tc qdisc add dev eth1 ${TBF}\nlogline tc qdisc add dev eth2 ${TBF}\n`;
    const { loaded, messages } = imported(script);
    expect(complaints(messages)).toEqual(['1: "nsx" is taken for a command that runs the tc command behind it']);
    expect(loaded.first.hops.map(({ name }) => name)).toEqual(['eth0', 'eth1']);
  });
  it('typographic quotes and dashes are read and told', () => {
    const { loaded, messages } = imported(`tc –s qdisc add dev “eth0” ${TBF}\ntc qdisc add dev <iface> root pfifo`);
    expect(complaints(messages)).toEqual(['1: quotes, dashes, blanks or <…> are read as plain ones (line 1 to 2)']);
    expect(loaded.first.hops.map(({ name }) => name)).toEqual(['eth0', 'iface']);
  });
  it.each([
    ['tc qdisc add dev $1', 'device-1', '$1 is an argument of the script', '--set 1=eth0'],
    ['tc qdisc add dev "$WAN"', 'WAN', 'WAN is set nowhere before', '--set WAN=eth0'],
    ['IF=$(ip route | cut -f5)\ntc qdisc add dev $IF', 'IF', 'line 1 takes it from the output', '--set IF=eth0'],
    ['tc qdisc add dev %i', 'i', '', ''],
  ])('a device that nobody knows gets a name: %s', (command, name, reason, way) => {
    const { loaded, messages } = imported(`${command} ${TBF}`);
    expect(loaded.first.hops.map((hop) => hop.name)).toEqual([name]);
    expect(complaints(messages).join()).toContain(reason);
    expect(hintsOf(`${command} ${TBF}`).join()).toContain(way);
  });
  it('what clears up after itself is taken before that', () => {
    const script = `${TREE}\nsleep 60\ntc qdisc del dev eth0 root\n`;
    const { loaded, messages } = imported(script);
    expect(complaints(messages)).toEqual(['6: eth0 is cleared here in the end: the scenario is what stood before']);
    expect(Object.keys(loaded.first.hops[0]?.shaper?.values.classes as object)).toHaveLength(3);
    expect(importTc('tc qdisc del dev eth0 root', 'x').yaml).toBeUndefined();
  });
  it('commands beside tc are named', () => {
    const told = importTc(`${TREE}\nmodprobe ifb\nip link set dev ifb0 up\nsudo /sbin/ethtool -K eth0 tso off`, 'x');
    expect(told.messages.slice(-3).map(({ severity, text }) => `${severity} ${text}`)).toEqual([
      'info modprobe ifb: left out, as a scenario has no need of it',
      'info ip link set dev ifb0 up: left out, as a scenario has no need of it',
      'info /sbin/ethtool -K eth0 tso off: left out, as packets are as large as the flows say',
    ]);
  });
  it.each([
    ['iptables -t mangle -A POSTROUTING -j MARK --set-mark 0x2/0xff', 'mark: 0x2'],
    ['$IPT -t mangle -A POSTROUTING -j CLASSIFY --set-class 1:20', 'class: "1:20"'],
    ['/sbin/iptables -t mangle -A FORWARD -j DSCP --set-dscp-class ef', 'tos: 0x10'],
    ['nft add rule inet mangle out meta priority set 1:10', 'class: "1:10"'],
  ])('%s: the hint says %s', (rule, hint) => {
    expect(hintsOf(`${TREE}\n${rule}\n${rule}`)).toEqual([expect.stringContaining(hint)]);
  });
  it('the rest goes on where a qdisc is not modelled', () => {
    const { messages, loaded } = imported(
      `tc qdisc add dev eth1 root handle 1: hfsc default 1\ntc class add dev eth1 parent 1: classid 1:1 hfsc sc rate 1mbit\ntc filter add dev eth1 parent 1: matchall flowid 1:1\n${TREE}`,
    );
    expect(complaints(messages)).toEqual([
      '1: a qdisc of kind "hfsc" cannot be simulated',
      '2: classes of kind "hfsc" cannot be simulated',
      '3: left out, as it belongs to the hfsc 1:, which cannot be simulated',
    ]);
    expect(loaded.first.hops.map(({ name }) => name)).toEqual(['eth0']);
  });
  it('a change of netem sets delay and loss anew and keeps the rate', () => {
    const script =
      'tc qdisc add dev eth0 root netem delay 30ms 5ms 25% rate 2mbit\ntc qdisc change dev eth0 root netem loss 1%';
    expect(imported(script).document).toMatchObject({
      hops: { 'eth0-netem': { link: { rate: '2mbit', loss: '1%' } } },
    });
  });
});

describe('where only a run knows the way', () => {
  const root = 'tc qdisc add dev eth0 root handle 1: htb default 10';
  const rest = 'tc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit';
  it.each([
    ['if', `if up eth0; then\n${root}\n${rest}\nelse\ntc qdisc del dev eth0 root\nfi`, 'which way the "if" goes'],
    [
      'case',
      `case "$1" in\nreset) tc qdisc del dev eth0 root;;\n*) ${root}; ${rest};;\nesac`,
      'which way the "case" goes',
    ],
    ['&&', `[ "$UPLINK" -ne 0 ] && ${root}\n${rest}`, 'whether the command runs'],
    ['a call', `f() { ${root}; ${rest}; }\nif up eth0; then f; fi`, 'which way the "if" goes'],
    [
      'a wrapper',
      `run() { tc "$@"; }\nif up; then\nrun qdisc add dev eth0 root handle 1: htb default 10\nfi\n${rest}`,
      'which way the "if" goes',
    ],
  ])('%s: the one that sets up a root is read', (_, script, told) => {
    const { messages, loaded } = imported(script);
    expect(complaints(messages)).toEqual([
      expect.stringContaining(`${told} depends on what only a run knows; read as if`),
    ]);
    expect(loaded.first.hops[0]?.shaper?.values).toMatchObject({ classes: { '1:10': { rate: 5e6 } } });
  });
  it.each([
    ['if [ -n "$UP" ]; then', 'fi', 'import with --set UP=VALUE'],
    ['case "$2" in a|b)', ';; esac', 'import with --set 2=VALUE'],
    ['[ "$UP" -gt 0 ] &&', '', 'import with --set UP=VALUE'],
    ['if up; then', 'fi', WAY_OUT],
  ])('the hint names the variable that decides: %s', (head, tail, hint) => {
    const script = `${TREE}\n${head} tc class add dev eth0 parent 1:1 classid 1:40 htb rate 1mbit\n${tail}`;
    expect(hintsOf(script)).toEqual([hint]);
  });
  it('what a here-document for tc leaves open is told', () => {
    const script = `tc -batch - <<X\nqdisc add dev eth0 root handle 1: htb default 1\nclass add dev eth0 parent 1: classid 1:1 htb rate $RATE\nX\n`;
    expect(complaints(importTc(script, 'x').messages)).toContain('3: left out: RATE is set nowhere before');
    expect(importTc(script, 'x', { variables: { RATE: '3mbit' } }).document).toMatchObject({
      hops: { eth0: { classes: { '1:1': { rate: '3mbit' } } } },
    });
  });
  it('a line of a variable of several lines is that of the here-document', () => {
    const script = `A="x\ny\nz"\ntc -batch - <<X\n$A\nqdisc add dev eth0 ${TBF}\nX\n`;
    expect(complaints(imported(script).messages).every((text) => /^[56]: /.test(text))).toBe(true);
  });
  it('what a script writes into a file is not run', () => {
    const script = `${TREE}\ncat <<'X' > /root/limit.sh\n#!/bin/sh\ntc qdisc add dev eth1 ${TBF}\nX\n`;
    expect(complaints(imported(script).messages)).toEqual([
      '5: a file is written here; the tc commands in it are not run (line 7)',
    ]);
  });
  it('two ways that do so are both left out', () => {
    const script = `if up; then tc qdisc add dev eth0 root pfifo; else tc qdisc add dev eth0 root bfifo; fi\n${TREE}`;
    expect(complaints(imported(script).messages)).toEqual([
      '1: which way the "if" goes depends on what only a run knows; left out: the tc command (line 1)',
    ]);
  });
  it('a loop over devices is read for one of them', () => {
    const { messages, loaded } = imported(`for i in $(ls /sys/class/net); do tc qdisc add dev $i ${TBF}; done`);
    expect(complaints(messages)).toEqual([
      '1: the loop at line 1 sets it: the device is called i',
      '1: the "for" loop is read once: the devices of i are known only to a run',
    ]);
    expect(loaded.first.hops.map(({ name }) => name)).toEqual(['i']);
  });
  it('change or add adds where there is nothing to change', () => {
    const script = `tc qdisc change dev eth0 ${TBF} || tc qdisc add dev eth0 ${TBF}`;
    expect(complaints(imported(script).messages)).toEqual([]);
  });
  it('what a script was called with is settled once', () => {
    const { messages, loaded } = imported(
      `ACT=$1\nif [ "$ACT" = start ]; then\ntc qdisc add dev eth0 ${TBF}\nfi\nif [ $ACT = restart ]; then tc qdisc add dev eth1 ${TBF}; fi`,
    );
    expect(complaints(messages)).toEqual(['2: read as if the argument $1 were "start"']);
    expect(loaded.first.hops.map(({ name }) => name)).toEqual(['eth0']);
  });
});

describe('qdiscs that hold others', () => {
  it('a prio without a handle gets that of the kernel', () => {
    expect(imported('tc qdisc add dev eth0 root prio').loaded.first.flows.map(({ className }) => className)).toEqual([
      '8001:1',
      '8001:2',
      '8001:3',
    ]);
  });
  it('what a message says of their options is written as tc takes it', () => {
    const [message] = importTc('tc qdisc add dev eth0 root netem loss gemodel 1% 10%', 'x').messages;
    expect(message?.text).toContain('lossGemodel p 1% r 10%');
  });
  it('signs that a terminal obeys stay out of the scenario', () => {
    expect(imported('tc qdisc add dev eth0 root sfq x\u0000\u001b[2J').yaml).toContain(
      '# not imported (line 1): sfq: x⟨U+0000⟩⟨U+001B⟩',
    );
  });
  it('dsmark passes on to what it holds', () => {
    const script = `tc qdisc add dev eth0 handle 1:0 root dsmark indices 4 default_index 0\ntc qdisc add dev eth0 handle 2:0 parent 1:0 htb default 1\ntc class add dev eth0 parent 2:0 classid 2:1 htb rate 250kbit`;
    const { messages, loaded } = imported(script);
    expect(complaints(messages)).toEqual(['1: dsmark only marks: what it holds is read as the root']);
    expect(loaded.first.hops[0]?.shaper).toMatchObject({
      kind: 'htb',
      values: { classes: { '2:1': { rate: 250e3 } } },
    });
  });
  it('what a refused one holds is told as such', () => {
    const script = `tc qdisc add dev eth0 root handle 1: mq\ntc qdisc add dev eth0 parent 1:1 handle 2: htb\ntc class add dev eth0 parent 2: classid 2:1 htb rate 1mbit\n${TREE.replaceAll('eth0', 'eth1')}`;
    expect(complaints(imported(script).messages).slice(1)).toEqual([
      '2: left out, as it belongs to the mq 1:, which cannot be simulated',
      '3: left out, as it belongs to the mq 2:, which cannot be simulated',
    ]);
  });
  it('a size table that is shown is that of its classes', () => {
    const shown = `qdisc htb 1: root refcnt 2 r2q 10 default 0x1\n linklayer atm overhead 40 mtu 2047 tsize 512\nclass htb 1:1 root prio 0 rate 1Mbit ceil 1Mbit burst 1600b/1 mpu 0b cburst 1600b/1 mpu 0b level 0\n`;
    expect(complaints(imported(shown).messages)).toEqual([]);
    expect(hopOf(shown).classes).toMatchObject({ '1:1': { linklayer: 'atm', overhead: '40b' } });
  });
});

describe('mistakes that forums are full of are told by line', () => {
  it.each([
    [
      'tc filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dport 1 0xffff flowid 1:1',
      '5: the filter sends to 1:1, which has classes below it and no filter of its own',
      'its packets go to the default class 1:30; send them to a class without children',
    ],
    [
      'tc class add dev eth0 parent 1:1 classid 1:20 rate 1mbit',
      '5: the class has no kind: "htb" is missing before "rate"',
      'for example: classid 1:10 htb rate 1mbit',
    ],
    [
      'tc class add dev eth0 parent 1:40 classid 1:20 htb rate 1mbit',
      '5: there is no class 1:40: the kernel makes 1:20 a class without parent',
      'a class must be added before its children; nothing is borrowed from a parent that is not there',
    ],
    [
      'tc qdisc add dev eth0 ingress\ntc filter add dev eth0 parent ffff: matchall flowid 1:10',
      '6: this filter of what arrives neither polices nor redirects, and ingress has no classes: it does nothing',
      'shape on an ifb: action mirred egress redirect dev ifb0',
    ],
    [
      `tc qdisc add dev ifb0 ${TBF}`,
      '5: nothing is redirected to ifb0: no packet passes there',
      'redirect what arrives: tc filter add dev eth0 parent ffff: matchall action mirred egress redirect dev ifb0',
    ],
    [
      'tc filter add dev eth0 parent 1: prio 1 protocol ip handle 1 fw flowid 1:10\ntc filter add dev eth0 parent 1: prio 1 protocol ip u32 match ip dport 1 0xffff flowid 1:10',
      '6: the filters of prio 1 are of kind fw (line 5); the kernel refuses another beside them',
      'give it a prio of its own',
    ],
    [
      'tc filter add dev eth0 parent 1: prio 1 protocol ip matchall flowid 1:10\ntc filter add dev eth0 parent 1: prio 1 matchall flowid 1:10',
      '6: the filters of prio 1 are of protocol ip (line 5); the kernel refuses another beside them',
      'give it a prio of its own',
    ],
  ])('%s', (commands, text, hint) => {
    const script = `${TREE}\n${commands}`;
    expect(complaints(imported(script).messages)).toEqual([text]);
    expect(hintsOf(script)).toEqual([hint]);
  });
  it('a policer by its average alone gets a flow above it', () => {
    const script =
      'tc qdisc add dev eth0 ingress\ntc filter add dev eth0 parent ffff: estimator 1sec 8sec protocol ip u32 match u32 0 0 police avrate 8mbit drop flowid :1';
    expect(imported(script).document?.flows).toMatchObject({ 'into-eth0-ingress': { rate: '10mbit' } });
  });
  it('what arrives is not shaped', () => {
    const script = `${TREE}\ntc qdisc add dev eth0 handle ffff: ingress\ntc class add dev eth0 parent ffff: classid ffff:1 htb rate 1mbit`;
    expect(complaints(imported(script).messages)).toEqual([
      '6: what arrives cannot be shaped: ingress takes no classes',
    ]);
  });
  it.each([
    ['16', '1:16', 'there is 1:10, and both are hexadecimal: write default 10 for it'],
    ['b', '1:b', 'add it, or take one that is there: 1:10, 1:30'],
  ])('default %s', (minor, missing, hint) => {
    const script = TREE.replace('default 30', `default ${minor}`);
    expect(complaints(imported(script).messages)[0]).toContain(`there is no class ${missing}`);
    expect(hintsOf(script)).toEqual([hint]);
  });
});

describe('hash tables of u32', () => {
  const link = (tail: string): string =>
    `tc filter add dev eth0 parent 1: prio 5 handle 2: protocol ip u32 divisor 16\ntc filter add dev eth0 parent 1: prio 5 protocol ip u32 ${tail}`;
  it('become filters of the root, with the bucket as a match', () => {
    // Bits 4 to 7 of the address choose among 16 buckets: 0x3 there is 0x30.
    const script = `${TREE}\n${link('ht 800:: match ip dst 10.0.0.0/8 hashkey mask 0x000000f0 at 16 link 2:')}
tc filter add dev eth0 parent 1: prio 5 protocol ip u32 ht 2:3: match ip dport 22 0xffff flowid 1:10`;
    const { messages, loaded } = imported(script);
    expect(complaints(messages)).toEqual([]);
    expect(filtersOf(script)).toMatchObject([
      {
        match: 'u32 match ip dst 10.0.0.0/8 match ip dport 22 0xffff match u32 0x00000030 0x000000f0 at 16',
        class: '1:10',
      },
    ]);
    expect(ran(loaded).flows['to-1:10']?.bitsPerSecond.accounted).toBeCloseTo(4e6, -5);
  });
  it.each([
    [
      link('match u32 0 0 link 2: offset at 0 mask 0x0f00 shift 6'),
      'tc filter add dev eth0 parent 1: prio 5 protocol ip u32 ht 2: match ip dport 22 0xffff flowid 1:10',
      [],
    ],
    [
      link('match u32 0 0 hashkey mask 0xff at 16 link 2:'),
      '',
      ['6: the hash table 2: is empty: this filter finds nothing'],
    ],
    [
      '',
      'tc filter add dev eth0 parent 1: protocol ip u32 ht 2:1: match ip dport 22 0xffff flowid 1:10',
      ['6: nothing links to the hash table 2: its filters are never asked'],
    ],
    [link('match u32 0 0 hashkey mask 0xff at 15 link 2:'), '', ['6: u32: hashkey is not read']],
    ['', 'tc filter add dev eth0 parent 1: protocol ip u32 divisor 16', ['6: u32: the hash table has no handle']],
    [
      '',
      'tc filter add dev eth0 parent 1: handle 2: protocol ip u32 divisor 17',
      ['6: u32: a divisor of 17 is refused'],
    ],
    [
      '',
      'tc filter add dev eth0 parent 1: protocol ip u32 ht 2: sample tcp dst 80 0xffff match ip dport 22 0xffff flowid 1:10',
      ['6: u32: "sample" is not interpreted'],
    ],
  ])('%s %s', (first, second, told) => {
    expect(complaints(imported(`${TREE}\n${first}\n${second}`).messages)).toEqual(told);
  });
});

describe('size tables', () => {
  const shaped = (stab: string, more = ''): Record<string, unknown> =>
    hopOf(
      `tc qdisc add dev eth0 root handle 1: stab ${stab} htb default 1\ntc class add dev eth0 parent 1: classid 1:1 htb rate 1mbit ${more}`,
    );
  it('are the overhead of each class', () => {
    expect(shaped('overhead 10 mpu 64').classes).toEqual({ '1:1': { rate: '1mbit', overhead: '10b', mpu: '64b' } });
    expect(shaped('linklayer atm overhead 40 mtu 2047 tsize 512').classes).toMatchObject({
      '1:1': { linklayer: 'atm', overhead: '40b' },
    });
    const tbf = hopOf(
      'tc qdisc add dev eth0 root stab overhead 24 linklayer ethernet tbf rate 1mbit burst 9k latency 9ms',
    );
    expect(tbf).toMatchObject({ shaper: 'tbf', overhead: '24b' });
  });
  it.each([
    ['overhead -4', '', 'an overhead below 0'],
    ['overhead 40', 'overhead 4', 'beside an overhead of its own'],
  ])('that a class cannot say are told: %s', (stab, more, why) => {
    const script = `tc qdisc add dev eth0 root handle 1: stab ${stab} htb default 1\ntc class add dev eth0 parent 1: classid 1:1 htb rate 1mbit ${more}`;
    expect(complaints(imported(script).messages)).toEqual([`1: not imported: stab ${stab} (${why})`]);
  });
  it('price a packet of 1,514 bytes at 33 cells of ATM', () => {
    // 1,514 + 40 bytes take 33 cells of 53: 1,749 bytes; of 10 Mbit/s 8.6565 are left.
    const script =
      'tc qdisc add dev eth0 root handle 1: stab overhead 40 linklayer atm htb default 1\ntc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit';
    const { flows } = ran(imported(script).loaded);
    expect(flows['to-1:1']?.bitsPerSecond.accounted).toBeCloseTo((1e7 * 1514) / 1749, -5);
  });
});
describe('the flows that an import supplies', () => {
  const ratesOf = (script: string): unknown[] => {
    const { loaded } = imported(script);
    return loaded.first.flows.map(({ source }) => source.values.rate);
  };

  it('offer a quarter more than the leaf may send, which is at least its own rate', () => {
    const script = [
      'tc qdisc add dev eth0 root handle 1: htb',
      'tc class add dev eth0 parent 1: classid 1:1 htb rate 128kbit',
      'tc class add dev eth0 parent 1:1 classid 1:10 htb rate 48kbit ceil 512kbit',
      'tc class add dev eth0 parent 1:1 classid 1:50 htb rate 256kbit ceil 1mbit',
    ].join('\n');
    // 1:10 borrows up to the 128 kbit of 1:1; 1:50 is guaranteed more than that.
    expect(ratesOf(script)).toEqual([160_000, 320_000]);
  });

  it('offer a quarter more than the slowest of stacked qdiscs without classes', () => {
    const script = [
      'tc qdisc add dev eth0 root handle 1: netem delay 50ms 10ms limit 10000',
      'tc qdisc add dev eth0 parent 1:1 handle 10: tbf rate 20mbit burst 32kbit latency 400ms',
    ].join('\n');
    expect(ratesOf(script)).toEqual([25_000_000]);
  });

  it('start before the rates are measured', () => {
    const { loaded } = imported(`tc qdisc add dev eth0 ${TBF}`);
    expect(loaded.first.warmupNs * 10).toBe(loaded.first.durationNs);
  });
});
