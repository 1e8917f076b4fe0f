import { closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { pcapOf } from '../models/captures/files.ts';
import { Folder, ROOT, sim, simWith, smallScenario } from './sim.ts';
import { hasTshark, tsharkFields } from './tshark.ts';

const folder = new Folder();
afterAll(() => folder.remove());

/** A scenario of flows of every kind over two hops, with losses. */
const MIXED = folder.write(
  'mixed.yaml',
  `title: Flows of every kind
duration: 2s
hops:
  shaper:
    shaper: htb
    kernel: "6.12"
    default: "1:10"
    classes:
      "1:10": { rate: 6mbit }
      "1:20": { rate: 3mbit }
    link: { rate: 1gbit }
  wan: { link: { rate: 8mbit, delay: 20ms, queue: 30p } }
flows:
  udp: { source: poisson, rate: 2mbit, size: imix, via: [shaper, wan], class: "1:20", ecn: true, tos: 184 }
  tcp: { source: bulk, via: [shaper, wan], class: "1:10" }
  get: { source: curl, version: "8.6.0", size: 50k, repeat: 2, via: [wan] }
  put: { source: curl, version: "8.6.0", direction: upload, size: 50k, via: [wan] }
  tunnel: { source: cbr, interval: 100ms, size: 500b, proto: gre, via: [wan] }
  tiny: { source: cbr, interval: 100ms, size: 30b, via: [wan] }
  open: { source: cbr, interval: 50ms, size: 1514b, proto: tcp, headers: 66b, dport: 443, dst: 192.0.2.7, via: [wan] }
`,
);

/** A scenario that replays a file over a fast line. */
function replay(file: string, more = ''): string {
  return `title: Replay
duration: 3s
hops: { wan: { link: { rate: 10gbit } } }
flows: { recorded: { source: trace, file: ${file}, via: [wan]${more} } }
`;
}

const recordedOf = (stdout: string) => JSON.parse(stdout).points[0].flows.recorded;

describe('sim run --pcap', () => {
  const path = folder.at('mixed.pcap');
  const shaperPath = folder.at('mixed-shaper.pcap');
  const traced = folder.at('mixed.csv');
  const ended = sim('run', MIXED, '--pcap', path, '--trace', traced);
  /** Departures of a hop: instant in s with 9 decimals, and size. */
  const departures = (hop: string): [string, string][] =>
    readFileSync(traced, 'utf8')
      .split('\n')
      .map((line) => line.split(','))
      .filter(([, event, at]) => event === 'depart' && at === hop)
      .map(([time, , , , , size]) => [(Number(time) / 1e9).toFixed(9), size!]);

  test('writes a file for the last hops and names those of earlier ones', () => {
    expect(ended.exitCode).toBe(0);
    // A second line says that the default queue is long at 6 Mbit/s.
    expect(ended.stderr.split('\n')[0]).toBe(`sim: ${shaperPath} written`);
    expect(existsSync(path)).toBe(true);
  });

  test.skipIf(!hasTshark)('writes what tshark reads (skipped without tshark): every departure, none malformed', () => {
    for (const [file, hop] of [
      [path, 'wan'],
      [shaperPath, 'shaper'],
    ] as const) {
      const rows = tsharkFields(file, 'frame.time_epoch', 'frame.len', '_ws.malformed', 'ip.checksum.status');
      expect(rows.map(([time, size]) => [time, size])).toEqual(departures(hop));
      expect(rows.filter(([, , malformed]) => malformed !== '')).toEqual([]);
      // 1: good; frames too short for IP have none
      expect(new Set(rows.map(([, , , checksum]) => checksum))).toEqual(new Set(hop === 'wan' ? ['1', ''] : ['1']));
    }
  });

  test.skipIf(!hasTshark)('shows flows, classes and header fields (skipped without tshark)', () => {
    const rows = tsharkFields(path, 'ip.src', 'ip.proto', 'eth.src', 'ip.dsfield', 'ip.dst', 'tcp.dstport');
    const of = (flow: number) =>
      new Set(rows.filter(([src]) => src === `10.1.0.${flow}`).map((row) => row.slice(1).join(' ')));
    expect(of(1)).toEqual(new Set(['17 02:00:00:01:00:20 0xba 10.2.0.1 ']));
    expect(of(2)).toEqual(new Set(['6 02:00:00:01:00:10 0x00 10.2.0.2 5001']));
    expect(of(4)).toEqual(new Set(['6 02:00:00:00:00:00 0x00 10.2.0.4 80']));
    expect(of(5)).toEqual(new Set(['47 02:00:00:00:00:00 0x00 10.2.0.5 ']));
    expect(of(7)).toEqual(new Set(['6 02:00:00:00:00:00 0x00 192.0.2.7 443']));
  });

  test.skipIf(!hasTshark)(
    'has TCP streams that begin with a SYN and go through their bytes (skipped without tshark)',
    () => {
      const rows = tsharkFields(shaperPath, 'tcp.flags', 'tcp.seq', 'tcp.len').filter(([flags]) => flags !== '');
      expect(rows[0]).toEqual(['0x0002', '0', '0']);
      const ends = new Set(rows.map(([, seq, length]) => Number(seq) + Number(length)));
      // Each segment begins where another has ended.
      const gaps = rows.slice(1).filter(([, seq]) => Number(seq) > 1 && !ends.has(Number(seq)));
      expect(gaps).toEqual([]);
      expect(Math.max(...ends)).toBeGreaterThan(500_000);
    },
  );

  test('is for a single run', () => {
    const swept = folder.write('swept.yaml', smallScenario('sweep: { rate: [5mbit, 10mbit] }'));
    const { exitCode, stderr } = sim('run', swept, '--pcap', folder.at('none.pcap'));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--pcap takes a single run but there are 2 points');
    expect(existsSync(folder.at('none.pcap'))).toBe(false);
  });

  test('ends with 4 where the file cannot be created or the disk is full', () => {
    expect(sim('run', MIXED, '--pcap', folder.at('no/folder/x.pcap'))).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('x.pcap: no such folder'),
    });
    const small = folder.write('small.yaml', smallScenario());
    expect(sim('run', small, '--pcap', '/dev/full')).toMatchObject({
      exitCode: 4,
      stderr: 'sim: cannot write /dev/full: no space left on the device\n',
    });
  });
});

describe('source: trace', () => {
  test('replays what --pcap wrote, packet by packet', () => {
    const first = folder.at('first.pcap');
    const second = folder.at('second.pcap');
    const recording = folder.write('recording.yaml', smallScenario());
    sim('run', recording, '--pcap', first);
    // A packet that departs arrives at once at a line which is free long before the next, so the files differ in nothing
    // but the class in the address and the flow's number: compare what counts.
    sim('run', folder.write('again.yaml', replay('first.pcap')), '--pcap', second);
    const timesAndSizes = (path: string): string[] => {
      const bytes = readFileSync(path);
      const rows: string[] = [];
      for (let at = 24; at < bytes.length; at += 16 + bytes.readUInt32LE(at + 8)) {
        rows.push(bytes.subarray(at, at + 16).toString('hex'));
      }
      return rows;
    };
    expect(timesAndSizes(first).length).toBeGreaterThan(60);
    expect(timesAndSizes(second)).toEqual(timesAndSizes(first));
  });

  test('finds its file beside the scenario, wherever it is called, and in the threads of a sweep', () => {
    folder.write('two.csv', 'time_s,size\n0,100\n1,200\n');
    const file = folder.write(
      'swept-replay.yaml',
      replay('two.csv')
        .replace('10gbit', '"$' + '{rate}"')
        .concat('sweep: { rate: [1mbit, 2mbit] }\n'),
    );
    const { exitCode, stdout } = sim('sweep', file, '--jobs', '2', '--json');
    expect(exitCode).toBe(0);
    const sent = JSON.parse(stdout).points.map(
      (point: { flows: { recorded: { sentBytes: number } } }) => point.flows.recorded.sentBytes,
    );
    expect(sent).toEqual([300, 300]);
  });

  test('of another content is another sweep', () => {
    const file = folder.write(
      'resumed.yaml',
      replay('changing.csv')
        .concat('sweep: { seed: [1] }\n')
        .replace('10gbit', '"$' + '{seed}gbit"'),
    );
    const out = folder.at('resumed');
    folder.write('changing.csv', 'time_s,size\n0,100\n');
    expect(sim('sweep', file, '--out', out).exitCode).toBe(0);
    expect(sim('sweep', file, '--out', out, '--resume').exitCode).toBe(0);
    folder.write('changing.csv', 'time_s,size\n0,101\n');
    expect(sim('sweep', file, '--out', out, '--resume').exitCode).not.toBe(0);
  });

  test('replays what is whole of a capture that is cut off, and warns; one that is damaged ends with 3', () => {
    const packets = Array.from({ length: 1000 }, (_, i) => ({
      seconds: 0,
      nanoseconds: i * 1000,
      lengthBytes: 60,
      capturedBytes: 60,
    }));
    writeFileSync(folder.at('cut.pcap'), pcapOf(packets).subarray(0, 24 + 900 * 76 + 10));
    const warning =
      "cut.pcap, byte 68424: expected 16 bytes of a packet's header but received the end of the file, with 6 of them missing; the packets before, which are whole, are replayed";
    const cut = folder.write('cut.yaml', replay('cut.pcap'));
    const { exitCode, stdout, stderr } = sim('run', cut, '--json');
    expect([exitCode, stderr]).toEqual([0, `sim: warning: ${warning}\n`]);
    expect(JSON.parse(stdout).points[0].flows.recorded).toMatchObject({ sentPackets: 900, warning });
    const swept = replay('cut.pcap')
      .concat('sweep: { seed: [1, 2] }\n')
      .replace('10gbit', '"$' + '{seed}gbit"');
    expect(sim('sweep', folder.write('cuts.yaml', swept)).stdout).toContain(`warning: ${warning}\n`);
    const damaged = pcapOf(packets);
    // captured length of the record at 24 + 900 * 76: longer than the packet, and than the file
    new DataView(damaged.buffer).setUint32(68_424 + 8, 100_000, true);
    writeFileSync(folder.at('cut.pcap'), damaged);
    const late = sim('run', cut);
    expect(late.exitCode).toBe(3);
    expect(late.stderr).toContain('sim: cut.pcap, byte 68440: expected 100000 bytes of a packet');
    expect(late.stderr).toContain('the file is damaged there');
  });

  test.each([10, 30, 80])('ends with 3 where a capture has no whole packet in its %d bytes', (length) => {
    const packet = { seconds: 0, nanoseconds: 0, lengthBytes: 60, capturedBytes: 60 };
    writeFileSync(folder.at('none.pcap'), pcapOf([packet]).subarray(0, length));
    const { exitCode, stderr } = sim('run', folder.write('none.yaml', replay('none.pcap')));
    expect(exitCode).toBe(3);
    expect(stderr).toContain('the file is cut off before anything that can be replayed');
  });

  test('ends with 3 and the line in the scenario where a file is foreign, empty or missing', () => {
    folder.write('packed.pcap.gz', Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0));
    folder.write('empty.pcap', '');
    const packed = sim('validate', folder.write('packed.yaml', replay('packed.pcap.gz')));
    expect(packed.exitCode).toBe(3);
    expect(packed.stderr).toMatch(
      /packed\.yaml:4:\d+: flows\.recorded\.file: expected a capture .* received a file packed by gzip/,
    );
    expect(packed.stderr).toContain('hint: unpack it');
    expect(sim('run', folder.write('empty.yaml', replay('empty.pcap'))).stderr).toContain('received an empty file');
    const missing = sim('run', folder.write('missing.yaml', replay('missing.pcap')));
    expect(missing.exitCode).toBe(3);
    expect(missing.stderr).toMatch(/hint: cannot read .*missing\.pcap: no such file/);
    expect(sim('run', folder.write('device.yaml', replay('/dev/zero'))).stderr).toContain('received a pipe or device');
  });

  test('needs no more memory for a long capture than for a short one', () => {
    const frameBytes = 1514;
    const count = 40_000;
    const writeCapture = (name: string, packets: number): void => {
      const head = pcapOf([{ seconds: 0, nanoseconds: 0, lengthBytes: frameBytes, capturedBytes: frameBytes }]);
      const file = openSync(folder.at(name), 'w');
      writeSync(file, head.subarray(0, 24));
      const block = Buffer.concat(Array.from({ length: 100 }, () => head.subarray(24)));
      for (let i = 0; i < packets; i += 100) {
        for (let j = 0; j < 100; j++) block.writeUInt32LE((i + j) * 20_000, j * (16 + frameBytes) + 4);
        writeSync(file, block);
      }
      closeSync(file);
    };
    writeCapture('short.pcap', 100);
    writeCapture('long.pcap', count);
    const exitHook = 'process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';
    const peakKib = (name: string, packets: number): number => {
      const file = folder.write(`${name}.yaml`, replay(name));
      const { stdout, stderr } = simWith(
        { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(exitHook)}` },
        ...['run', file, '--json', '--detail', '0'],
      );
      expect(recordedOf(stdout).receivedPackets).toBe(packets);
      return Number(/peak (\d+)/.exec(stderr)![1]);
    };
    const short = peakKib('short.pcap', 100);
    // 61 MB in the file
    expect(peakKib('long.pcap', count) - short).toBeLessThan(25 * 1024);
  });

  test('makes a page that says it cannot be run again there', () => {
    folder.write('page.csv', 'time_s,size\n0,100\n1,200\n');
    const page = folder.at('page.html');
    sim('run', folder.write('page.yaml', replay('page.csv')), '--html', page);
    const html = readFileSync(page, 'utf8');
    expect(html).toMatch(/The page cannot run this scenario again, as it needs .*page\.csv/);
    expect(html).not.toContain('id="what-if-engine"');
  });
});

describe('the scenarios of packets', () => {
  test.each(['trace-replay', 'cellular-link'])('%s keeps what it promises', (name) => {
    const { exitCode, stdout } = sim('run', `scenarios/${name}.yaml`);
    expect(stdout).toMatch(/all \d expectations passed/);
    expect(exitCode).toBe(0);
  });

  test.skipIf(!hasTshark)('have a capture that is whole (skipped without tshark)', () => {
    const rows = tsharkFields(
      join(ROOT, 'scenarios/data/camera.pcap'),
      'frame.len',
      '_ws.malformed',
      'ip.checksum.status',
    );
    expect(rows).toHaveLength(290);
    expect(new Set(rows.map((row) => row.join(' ')))).toEqual(new Set(['1242  1']));
  });
});
