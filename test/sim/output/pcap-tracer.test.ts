import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openCapture } from '../../../models/captures/open-capture.ts';
import * as registry from '../../../models/registry.ts';
import { PcapTracer } from '../../../sim/output/pcap-tracer.ts';
import { simulate } from '../../../sim/run/simulate.ts';
import { checkDocument } from '../../../sim/scenario/load-scenario.ts';
import { bytesBeside } from '../../../sim/sweep/named-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'sim-pcap-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Simulates a document and writes `name`. */
function wrote(name: string, document: unknown): string {
  const path = join(folder, name);
  const point = checkDocument(document, { registry }).pointAt(0);
  const tracer = new PcapTracer(path, point.scenario);
  simulate(point, { buckets: 0, tracer });
  tracer.close();
  return path;
}

/** Instants (ns) and sizes of the packets in a file, as our own reader finds them. */
function packetsIn(path: string): [number, number][] {
  const records = openCapture(path, bytesBeside('.'));
  const packets: [number, number][] = [];
  while (records.next()) packets.push([records.seconds * 1e9 + records.nanoseconds, records.sizeBytes]);
  return packets;
}

/** The frames' first bytes. */
function framesIn(path: string): DataView[] {
  const bytes = readFileSync(path);
  const frames: DataView[] = [];
  for (let at = 24; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 8);
    frames.push(new DataView(bytes.buffer, bytes.byteOffset + at + 16, length));
    at += 16 + length;
  }
  return frames;
}

const ONE_HOP = {
  duration: '2s',
  hops: { wan: { link: { rate: '8mbit', overhead: '0b' } } },
  flows: {
    a: { source: 'cbr', interval: '700ms', size: '1000b', via: ['wan'], sport: 7, dport: 53, dst: '192.168.1.9' },
  },
};

describe('a capture of what departs', () => {
  test('is a pcap in ns of Ethernet frames, with the size as tc counts it and the instant of the dequeue', () => {
    const path = wrote('one.pcap', ONE_HOP);
    expect(readFileSync(path).subarray(0, 24).toString('hex')).toBe('4d3cb2a10200040000000000000000004a00000001000000');
    expect(packetsIn(path)).toEqual([
      [0, 1000],
      [700_000_000, 1000],
      [1_400_000_000, 1000],
    ]);
  });

  test('has the addresses and ports of the flow, or such that flows differ', () => {
    const [frame] = framesIn(wrote('fields.pcap', ONE_HOP));
    expect([frame!.getUint32(26), frame!.getUint32(30)]).toEqual([0x0a010001, 0xc0a80109]);
    expect([frame!.getUint16(34), frame!.getUint16(36)]).toEqual([7, 53]);
    const flow = { source: 'cbr', interval: '1s', count: 1, via: ['wan'] };
    const frames = framesIn(wrote('flows.pcap', { ...ONE_HOP, flows: { a: flow, b: flow } }));
    expect(frames.map((one) => [one.getUint32(26), one.getUint32(30)])).toEqual([
      [0x0a010001, 0x0a020001],
      [0x0a010002, 0x0a020002],
    ]);
  });

  test('numbers the packets of a flow where it sends them, so that losses are gaps', () => {
    const document = {
      ...ONE_HOP,
      hops: { wan: { link: { rate: '8mbit', drop: [2] } } },
    };
    expect(framesIn(wrote('lost.pcap', document)).map((frame) => frame.getUint16(18))).toEqual([0, 2]);
  });

  test('has the same bytes each time', () => {
    const document = { ...ONE_HOP, flows: { a: { source: 'poisson', rate: '4mbit', size: 'imix', via: ['wan'] } } };
    expect(readFileSync(wrote('first.pcap', document))).toEqual(readFileSync(wrote('second.pcap', document)));
  });

  test('has the last hop of each path, and earlier hops in files of their own', () => {
    const document = {
      duration: '1s',
      hops: { near: { link: { rate: '8mbit' } }, far: { link: { rate: '8mbit', delay: '1ms', drop: [1] } } },
      flows: {
        long: { source: 'cbr', interval: '1s', count: 1, size: '100b', via: ['near', 'far'] },
        both: { source: 'cbr', interval: '1s', count: 1, size: '200b', via: ['near', 'far'], start: '10ms' },
        short: { source: 'cbr', interval: '1s', count: 1, size: '300b', via: ['near'], start: '20ms' },
      },
    };
    const path = wrote('hops.pcap', document);
    // 224 bytes take 224 µs to far, which drops the first packet
    expect(packetsIn(path)).toEqual([
      [10_224_000, 200],
      [20_000_000, 300],
    ]);
    expect(packetsIn(join(folder, 'hops-near.pcap'))).toEqual([
      [0, 100],
      [10_000_000, 200],
    ]);
    expect(existsSync(join(folder, 'hops-far.pcap'))).toBe(false);
  });

  test('cuts a super-packet into the frames that the device sends', () => {
    // 2 * (1448 + 66) + 566: as tc counts it, with the headers of each segment
    const flow = {
      source: 'cbr',
      interval: '1s',
      count: 1,
      size: '3594b',
      gso: '1448b',
      headers: '66b',
      proto: 'tcp',
      via: ['wan'],
    };
    const path = wrote('gso.pcap', { ...ONE_HOP, flows: { a: flow } });
    expect(packetsIn(path).map(([, size]) => size)).toEqual([1514, 1514, 566]);
    expect(framesIn(path).map((frame) => frame.getUint32(38))).toEqual([1, 1449, 2897]);
  });

  test('follows the sequence of TCP from its SYN, without ACKs; a repetition has the number of the first', () => {
    const document = {
      duration: '2s',
      hops: { wan: { link: { rate: '8mbit', delay: '10ms', drop: [3] } } },
      flows: { a: { source: 'bulk', bytes: '14480', via: ['wan'] } },
    };
    const frames = framesIn(wrote('tcp.pcap', document));
    expect(frames[0]!.getUint8(47)).toBe(0x02);
    const numbers = frames.map((frame) => frame.getUint32(38));
    // SYN, the opening ACK, ten segments of 1448 of which the third is lost before the queue, and then repeated
    const data = [1, 2, 4, 5, 6, 7, 8, 9, 10].map((nth) => 1 + 1448 * (nth - 1));
    expect(numbers.slice(0, 2)).toEqual([0, 1]);
    expect(numbers.filter((number) => number > 0).slice(1, 10)).toEqual(data);
    expect(numbers.lastIndexOf(1 + 2 * 1448)).toBe(numbers.length - 1);
  });

  test('tells connections of a flow apart by the client’s port', () => {
    const document = {
      duration: '2s',
      hops: { wan: { link: { rate: '8mbit' } } },
      flows: { get: { source: 'curl', version: '8.6.0', size: '5000b', parallel: 2, via: ['wan'] } },
    };
    const ports = framesIn(wrote('curl.pcap', document)).map(
      (frame) => `${frame.getUint16(34)}>${frame.getUint16(36)}`,
    );
    expect([...new Set(ports)]).toEqual(['80>40000', '80>40001']);
  });

  test('of more than is held back is complete', () => {
    const flow = { source: 'cbr', interval: '100us', size: '100b', via: ['wan'] };
    const path = wrote('many.pcap', { ...ONE_HOP, hops: { wan: { link: {} } }, flows: { a: flow } });
    // 20,000 frames with 42 bytes of headers
    expect(statSync(path).size).toBe(24 + 20_000 * (16 + 42));
    expect(packetsIn(path).at(-1)).toEqual([1_999_900_000, 100]);
  });
});
