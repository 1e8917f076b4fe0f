import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { tcShow } from '../../../sim/output/tc-show.ts';
import type { LoadedScenario } from '../../../sim/scenario/load-scenario.ts';
import { recorderScript } from '../../../sim/tc/recorder.ts';
import { parseSize } from '../../../sim/units/size.ts';
import { exported, filesIn, imported, ran, scenarioOf, textOf } from './support.ts';

const TC = '/sbin/tc';
const NAMESPACE = ['unshare', '--user', '--map-root-user', '--net', 'sh', '-e', '-c'];
const SET_UP =
  'ip link add eth0 numtxqueues 1 numrxqueues 1 type veth peer name peer0; ip link set eth0 txqueuelen 1000; ip link set eth0 up;';

/** Runs commands in a network namespace of their own, with eth0; undefined where that is not allowed or there is no tc 6. */
function inNamespace(commands: string): string | undefined {
  const [program, ...args] = NAMESPACE;
  const run = spawnSync(program!, [...args, `${SET_UP} ${commands}`], { encoding: 'utf8' });
  return run.status === 0 ? run.stdout : undefined;
}

const version = spawnSync(TC, ['-V'], { encoding: 'utf8' }).stdout ?? '';
const htbWorks =
  /iproute2-6\.(?:[0-9]|1[0-4])\b/.test(version) &&
  inNamespace(
    `${TC} qdisc add dev eth0 root handle 1: htb; ${TC} class add dev eth0 parent 1: classid 1:1 htb rate 1mbit`,
  ) !== undefined;
if (!htbWorks)
  console.info('no tc 6.0 to 6.14 with network namespaces and HTB here: what the real tc shows is not compared');

const shaped = [
  ...filesIn('scenarios').map((name) => `scenarios/${name}`),
  ...filesIn('scenarios/cases').map((name) => `scenarios/cases/${name}`),
].filter((name) => name.endsWith('.yaml') && /^\s+shaper: (?:htb|tbf)\b/m.test(textOf(name)));

/** Lines of classes as shown; handles that the kernel gives by itself go on counting from test to test. */
const classLines = (shown: string): string[] =>
  shown
    .split('\n')
    .filter((line) => line.startsWith('class htb'))
    .map((line) => line.replace(/leaf 80[\da-f]{2}:/, 'leaf 8…:'));

describe.skipIf(!htbWorks)('the real tc', () => {
  it.each(shaped)('accepts %s and shows the bursts, quanta and order that were predicted', (name) => {
    // Today's kernel and tc: what the real ones here are.
    const yaml = textOf(name)
      .replaceAll(/^\s+(?:kernel|tc|hz): .*\n/gm, '')
      .replace(/shaper: (htb|tbf)/, 'shaper: $1\n    kernel: "6.12"\n    tc: "6.1"');
    const loaded = scenarioOf(yaml);
    const hops = loaded.first.hops.filter(({ shaper }) => shaper?.kind === 'htb' || shaper?.kind === 'tbf');
    const { script } = exported(loaded);
    const commands = script
      .split('\n')
      .filter((line) => line.startsWith('tc ') && / dev eth0 /.test(line) && !line.startsWith('tc filter'))
      .map((line) => line.replace(/^tc/, TC));
    const shown = inNamespace(`${commands.join('\n')}\n${TC} -d class show dev eth0; ${TC} -d qdisc show dev eth0`);
    expect(shown, 'tc refused a command').toBeDefined();
    expect(hops.length).toBeGreaterThan(0);
    const predicted = tcShow({ ...loaded.first, hops: hops.slice(0, 1) }, ran(loaded));
    expect(classLines(shown!)).toEqual(classLines(predicted));
    const tbf = (text: string): string[] =>
      [...text.matchAll(/rate \S+ burst \S+ mpu \S+ (?:lat|limit) \S+/g)].map(([match]) => match);
    if (hops[0]?.shaper?.kind === 'tbf') expect(tbf(predicted)).toEqual(tbf(shown!));
  });
  it.each([
    'shaper: htb, r2q: 7, directQlen: 55, default: "1:20", classes: { "1:1": { rate: 40mbit }, "1:20": { parent: "1:1", rate: 3mbit, ceil: 7mbit, linklayer: atm, mpu: 64b, overhead: 10b, qdisc: { kind: bfifo, limit: 60000b } }, "1:30": { parent: "1:1", rate: 800kbit, prio: 5, burst: 9000b, mtu: 9000b, qdisc: { kind: tbf, rate: 500kbit, burst: 10kb, limit: 30000b } } }',
    'shaper: htb, classes: { "1:ffff": { rate: 12345678bit, quantum: 1514b }, "1:2": { rate: 8gbit, qdisc: { kind: pfifo_head_drop, limit: 9 } } }',
    'shaper: tbf, rate: 1mbit, burst: 10kb, limit: 30000b, peakrate: 2mbit, mtu: 2000b, overhead: 10b, mpu: 64b',
    'shaper: tbf, rate: 256kbit, burst: 1540b, latency: 50ms, linklayer: atm',
    'shaper: tbf, rate: 1mbit, burst: 10kb, limit: 3000b, qdisc: { kind: pfifo, limit: 12 }',
    'shaper: htb, classes: { "1:1": { rate: 1mbit }, "1:2": { rate: 2mbit, qdisc: { kind: pfifo, limit: 7 } }, "1:3": { rate: 3mbit, qdisc: { kind: bfifo, limit: 9kb } }, "1:2f": { rate: 4mbit, qdisc: { kind: tbf, rate: 1mbit, burst: 5kb, limit: 9000b } } }',
  ])('shows %s word by word as predicted', (hop) => {
    const loaded = scenarioOf(
      `duration: 1us\nhops:\n  h: { kernel: "6.12", tc: "6.1", ${hop} }\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, start: 1ms, via: [h] }\n`,
    );
    const { script } = exported(loaded);
    const commands = script.split('\n').filter((line) => /^tc (?:qdisc|class) add/.test(line));
    const shown = inNamespace(
      `${commands.map((line) => line.replace(/^tc/, TC)).join('\n')}\n${TC} -s -d class show dev eth0; ${TC} -s -d qdisc show dev eth0`,
    );
    // Handles that the kernel chose go on counting from test to test; a device that is up sends a packet of its own (IPv6).
    const words = (text: string): string[] =>
      text
        .split('\n')
        .filter((line) => /^(?:class|qdisc)/.test(line))
        .map((line) => line.replaceAll(/\b8[\da-f]{3}:/g, '8…:').replace(/direct_packets_stat \d+/, ''));
    expect(words(tcShow(loaded.first, ran(loaded), '6.1'))).toEqual(words(shown!));
  });
  it('lists many classes in the order that is predicted', () => {
    const ids = Array.from({ length: 40 }, (_, i) => ((i * 7919) % 4093) + 2);
    const lines = ids.map((id) => `${TC} class add dev eth0 parent 1: classid 1:${id.toString(16)} htb rate 1mbit`);
    const shown = inNamespace(
      `${TC} qdisc add dev eth0 root handle 1: htb\n${lines.join('\n')}\n${TC} -d class show dev eth0`,
    );
    const classes = ids.map((id) => `"1:${id.toString(16)}": { rate: 1mbit }`).join(', ');
    const loaded = scenarioOf(
      `duration: 1ms\nhops:\n  h: { shaper: htb, tc: "6.1", kernel: "6.12", classes: { ${classes} } }\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [h] }\n`,
    );
    expect(classLines(shown!)).toEqual(classLines(tcShow(loaded.first, ran(loaded))));
  });
  it('shows what the import reads back', () => {
    const script = textOf('test/golden/tc-6.1/script.txt').replaceAll('dev d0', 'dev eth0');
    const shown = inNamespace(
      `${TC} -batch - <<'X'\n${script}\nX\n${TC} -d qdisc show dev eth0; ${TC} -d class show dev eth0`,
    );
    const { loaded } = imported(shown!);
    expect(Object.keys(loaded.first.hops[0]?.shaper?.values.classes as object)).toEqual([
      '1:1',
      '1:10',
      '1:20',
      '1:a0',
    ]);
  });
});

const others: readonly (readonly [string, string])[] = [
  ['sfq', 'perturb: 10s, limit: 300, depth: 20, flows: 64, divisor: 512, headdrop: true, quantum: 3000b'],
  ['sfq', 'redflowlimit: 60000b, min: 8000b, max: 20000b, avpkt: 1000b, burst: 20, probability: 0.12, ecn: true'],
  ['codel', 'limit: 200, target: 10ms, interval: 50ms, ceThreshold: 2ms, ecn: true'],
  ['fq_codel', 'flows: 64, quantum: 300b, memoryLimit: 4mb, dropBatch: 1, ceThreshold: 1ms, ecn: false'],
  ['red', 'limit: 400kb, avpkt: 1000b, min: 30kb, max: 90kb, burst: 55, bandwidth: 20mbit, ecn: true, adaptive: true'],
  ['red', 'limit: 60kb, avpkt: 1000b, probability: 0.1, ecn: true, nodrop: true'],
  ['fq', 'limit: 500, flowLimit: 20, quantum: 9000b, initialQuantum: 30000b, maxrate: 20mbit, refillDelay: 20ms'],
  ['prio', 'handle: "1:", bands: 5, priomap: [4, 3, 2, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]'],
  ['netem', 'delay: 10ms, jitter: 2ms, delayCorrelation: 25%, distribution: paretonormal, loss: 1%, ecn: true'],
  ['netem', 'delay: 10ms, reorder: 25%, reorderCorrelation: 50%, gap: 5, duplicate: 1%, corrupt: 0.1%'],
  ['netem', 'lossState: { p13: 1%, p31: 90%, p32: 5%, p23: 50%, p14: 0.5% }, slot: { minDelay: 1ms, packets: 3 }'],
  ['netem', 'lossGemodel: { p: 1%, r: 10%, lossInBad: 70% }, rate: 5mbit, cellSize: 48, cellOverhead: 5'],
  ['netem', 'slot: { distribution: normal, delay: 5ms, jitter: 1ms, bytes: 9000b }, qdisc: { kind: pfifo, limit: 9 }'],
  ['police', 'rate: 5mbit, burst: 20kb, peakrate: 10mbit, mtu: 2kb, exceed: drop, conform: pipe'],
  ['police', 'avrate: 5mbit, estimator: { interval: 250ms, average: 1s }, exceed: drop, ingress: true'],
  ['police', 'pktsRate: 1000, pktsBurst: 100, exceed: reclassify'],
];

describe.skipIf(!htbWorks)('commands of kinds that this kernel may not have', () => {
  // What tc itself says of a word; the kernel, if it has no such kind, says so in other words.
  const REFUSED =
    /What is|Illegal|Usage|Unknown|Bad action|Command line is not complete|specified|dangling|is wrong|can't/i;
  const KERNEL =
    /^(?:Error: )?(?:Specified qdisc kind is unknown|TC classifier not found|Failed to (?:load|find)).*$|^We have an error talking.*$|^RTNETLINK answers.*$/gim;

  it.each(others)('%s of %s are words of tc', (kind, options) => {
    const loaded = scenarioOf(
      `duration: 1ms\nhops:\n  h: { shaper: ${kind}, ${options} }\nflows:\n  f: { source: cbr, rate: 1mbit, size: 100b, via: [h] }\n`,
    );
    const { script, left } = exported(loaded);
    expect(left).toEqual([]);
    const commands = script.split('\n').filter((line) => /^tc (?:qdisc|filter) add/.test(line));
    const said = inNamespace(commands.map((line) => `${line.replace(/^tc/, TC)} 2>&1 || true`).join('\n'));
    expect(said?.replaceAll(KERNEL, '')).not.toMatch(REFUSED);
  });
});

/** Kinds that this kernel does not have, and what hangs on them. */
const LACKING =
  /Specified qdisc kind is unknown|TC classifier not found|Failed to load TC action module|Failed to find specified qdisc|Parent Qdisc doesn't exists|We have an error talking/;
/** What the kernel says of large and small quanta. */
const REMARK = /^Warning: sch_htb: quantum of class/;

/** A scenario of the project, or what the import makes of a script of the project. */
function given(name: string): LoadedScenario {
  const text = textOf(`scenarios/${name}`);
  return name.startsWith('tc/') ? imported(text).loaded : scenarioOf(text);
}

/** Figures of classes and of token buckets as tc shows them: words and numbers apart, sizes in bytes. */
function figuresOf(shown: string): { readonly words: string[]; readonly sizes: number[] } {
  const lines = shown.split('\n').filter((line) => /^(?:class htb|qdisc tbf)/.test(line));
  const text = lines.sort().map((line) => line.replaceAll(/^qdisc tbf \S+| leaf \S+| level \d| parent \S+/g, ''));
  const sizes = text.flatMap((line) =>
    [...line.matchAll(/(?:burst|mtu) (\S+?)(?:\/\d)? ?mpu/g)].map(([, size]) => parseSize(size!)),
  );
  const words = text.map((line) =>
    line.replaceAll(/(?:burst|mtu) \S+? ?mpu/g, 'burst').replace(/(?:lat|limit) \S+/, ''),
  );
  return { words, sizes };
}

describe.skipIf(!htbWorks)('all commands of an export', () => {
  const names = [
    ...shaped.map((name) => name.replace('scenarios/', '')),
    ...filesIn('scenarios/tc').map((name) => `tc/${name}`),
  ];

  it.each(names)('the real tc takes those of %s, and what it shows then is imported with the same figures', (name) => {
    const loaded = given(name);
    const { script, left } = exported(loaded);
    expect(left).toEqual([]);
    const commands = script.split('\n').filter((line) => /^(?:tc|ip) /.test(line));
    const devices = new Set(
      commands.flatMap((line) => [...line.matchAll(/^tc .* dev (\S+) /g)].map(([, own]) => own!)),
    );
    const made = new Set(commands.flatMap((line) => [...line.matchAll(/^ip link add (\S+)/g)].map(([, own]) => own!)));
    const cables = [...devices]
      .filter((device) => device !== 'eth0' && !made.has(device))
      .map((device, i) => `ip link add ${device} numtxqueues 1 numrxqueues 1 type veth peer name other${i}`);
    const shows = [...devices].map(
      (device) => `${TC} -s -d qdisc show dev ${device}; ${TC} -s -d class show dev ${device}`,
    );
    const said = inNamespace(
      [
        ...cables,
        ...commands.map((line) => `echo '> ${line}'; ${line.replace(/^tc/, TC)} 2>&1 || true`),
        ...shows.map((show) => `echo @@@; ${show}`),
      ].join('\n'),
    );
    const [answers, ...states] = said!.split('@@@\n');
    const refusals = answers!.split('\n').filter((line) => line !== '' && !line.startsWith('> '));
    expect(refusals.filter((line) => !LACKING.test(line) && !REMARK.test(line))).toEqual([]);
    for (const state of states) {
      const real = figuresOf(state);
      if (real.words.length === 0) continue;
      const back = imported(state);
      const quiet = back.yaml
        .replace(/^duration: .*\nwarmup: .*/m, 'duration: 1us')
        .replaceAll('source: cbr', 'start: 1ms, source: cbr');
      const again = scenarioOf(quiet);
      const shown = figuresOf(tcShow(again.first, ran(again), '6.1'));
      expect(shown.words).toEqual(real.words);
      // The import takes what is shown for what was given: tc 6.1 cuts the time of a bucket to whole microseconds once
      // more, which is at most 2 µs of the class's rate.
      for (const [i, size] of real.sizes.entries()) {
        expect(shown.sizes[i]).toBeLessThanOrEqual(size + 1);
        expect(shown.sizes[i]).toBeGreaterThanOrEqual(size - 1250);
      }
    }
  });
});

describe('the recording stand-in', () => {
  it('writes what a script with a loop calls, and the import reads it', () => {
    const folder = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
    const script = [
      'for n in 10 20 30; do tc class add dev eth0 parent 1: classid 1:$n htb rate ${n}mbit; done',
      'set_up() { tc qdisc add dev eth0 root handle 1: htb default 30; tc class add dev eth0 parent 1: classid "1:1" htb rate 5mbit; }',
    ];
    const run = `cat > ${folder}/tc; chmod +x ${folder}/tc; PATH=${folder}:$PATH; export TC_RECORD=${folder}/log
${script[1]}
set_up
${script[0]}
printf 'filter add dev eth0 parent 1: protocol ip prio 1 u32 match ip dport 22 0xffff flowid 1:10\\n' | tc -batch -
cat ${folder}/log; rm -r ${folder}`;
    const log = execFileSync('sh', ['-c', run], { input: recorderScript(), encoding: 'utf8' });
    const { loaded } = imported(log);
    const [hop] = loaded.first.hops;
    expect(Object.keys(hop?.shaper?.values.classes as object)).toEqual(['1:1', '1:10', '1:20', '1:30']);
    expect(hop?.filters).toMatchObject([{ match: 'u32 match ip dport 22 0xffff', class: 0x10010 }]);
  });
});
