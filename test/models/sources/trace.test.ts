import { describe, expect, test } from 'vitest';
import { CaptureError } from '../../../models/captures/capture-error.ts';
import type { RandomStream } from '../../../models/model.ts';
import { trace } from '../../../models/sources/trace.ts';
import { pcapOf, reading } from '../captures/files.ts';

const NO_RANDOM: RandomStream = {
  uniform: () => Number.NaN,
  uint32: () => Number.NaN,
};

/** The first packets of a source: instant (ns) and size. */
function sent(csv: string, most: number, values: { loop?: boolean; speed?: number } = {}): [number, number][] {
  const all = { file: 'a.csv', loop: false, speed: 1, ...values };
  const source = trace.create(all, NO_RANDOM, reading({ 'a.csv': csv }));
  const packets: [number, number][] = [];
  while (packets.length < most) {
    const dueNs = source.next();
    if (dueNs === Number.POSITIVE_INFINITY) break;
    packets.push([dueNs, source.sizeBytes]);
  }
  return packets;
}

function failureOf(action: () => unknown): CaptureError {
  try {
    action();
  } catch (error) {
    if (error instanceof CaptureError) return error;
    throw error;
  }
  throw new Error('nothing was wrong');
}

const THREE = 'time_s,size\n1700000000.9,60\n1700000001,1514\n1700000001.1,590\n';

describe('source: trace', () => {
  test('sends at the recorded distances from the first packet, to the ns, and ends', () => {
    expect(sent(THREE, 10)).toEqual([
      [0, 60],
      [100_000_000, 1514],
      [200_000_000, 590],
    ]);
  });

  test('is faster or slower by `speed`, without drift', () => {
    expect(sent(THREE, 10, { speed: 2 }).map(([dueNs]) => dueNs)).toEqual([0, 50_000_000, 100_000_000]);
    const everyNs = `time_ns,size\n${Array.from({ length: 10 }, (_, i) => `${i},60`).join('\n')}\n`;
    // 9 ns at a third of the speed are 27 ns, at three times the speed 3 ns
    expect(sent(everyNs, 10, { speed: 3 }).at(-1)).toEqual([3, 60]);
    expect(sent(everyNs, 10, { speed: 1 / 3 }).at(-1)).toEqual([27, 60]);
  });

  test('begins again one mean gap after the last packet, with `loop`', () => {
    // two gaps of 100 ms: the second round begins at 300 ms, the third at 600 ms
    expect(sent(THREE, 7, { loop: true }).map(([dueNs]) => dueNs / 1e6)).toEqual([0, 100, 200, 300, 400, 500, 600]);
  });

  test('keeps the order of packets of one instant', () => {
    expect(sent('time_ns,size\n5,60\n5,61\n5,62\n', 10)).toEqual([
      [0, 60],
      [0, 61],
      [0, 62],
    ]);
  });

  test('refuses instants that go back, with the place and what sorts them', () => {
    const error = failureOf(() => sent('time_ns,size\n10,60\n20,60\n15,60\n', 10));
    expect(error.message).toBe(
      'a.csv, line 4: expected an instant not before that of the packet above but received one 5 ns before it',
    );
    expect(error.hint).toContain('reordercap');
    // before the first packet, too
    expect(failureOf(() => sent('time_ns,size\n10,60\n9,60\n', 10)).problem.place).toBe('line 3');
  });

  test('goes on where a capture is cut off in its last packet, and warns with what is missing', () => {
    const packets = [1, 2, 3].map((seconds) => ({ seconds, nanoseconds: 0, lengthBytes: 60, capturedBytes: 60 }));
    const readBytes = reading({ 'a.pcap': pcapOf(packets).subarray(0, -20) });
    const source = trace.create({ file: 'a.pcap', loop: false, speed: 1 }, NO_RANDOM, readBytes);
    expect([source.next(), source.next()]).toEqual([0, 1e9]);
    expect(source.warning).toBeUndefined();
    expect(source.next()).toBe(Number.POSITIVE_INFINITY);
    // the data of the third packet begin at 24 + 3 * 16 + 2 * 60 = 192
    expect(source.warning).toBe(
      'a.pcap, byte 192: expected 60 bytes of a packet but received the end of the file, with 20 of them missing; the packets before, which are whole, are replayed',
    );
    const again = trace.create({ file: 'a.pcap', loop: true, speed: 1 }, NO_RANDOM, readBytes);
    expect([1, 2, 3, 4].map(() => again.next())).toEqual([0, 1e9, 2e9, 3e9]);
  });

  test('cannot repeat packets of a single instant', () => {
    expect(failureOf(() => sent('time_ns,size\n10,60\n10,60\n', 10, { loop: true })).problem).toMatchObject({
      received: '2 at the same',
    });
    expect(failureOf(() => sent('time_ns,size\n10,60\n', 10, { loop: true })).problem).toMatchObject({
      received: '1 at the same',
    });
  });

  test('says where it runs without files', () => {
    expect(failureOf(() => trace.create({ file: 'a.csv', loop: false, speed: 1 }, NO_RANDOM)).hint).toBe(
      'run it on the command line',
    );
  });
});

describe('the check of its file', () => {
  const whole = pcapOf([{ seconds: 1, nanoseconds: 0, lengthBytes: 60 }]);
  const readBytes = reading({
    'good.pcap': whole,
    'empty.pcap': pcapOf([]),
    'cut.pcap': whole.subarray(0, 30),
    'foreign.bin': Uint8Array.of(0, 1, 2, 3, 4),
  });
  const problemsOf = (file: string) => trace.checkFiles!({ file }, readBytes);

  test('finds nothing where a packet can be read', () => {
    expect(problemsOf('good.pcap')).toEqual([]);
  });

  test.each([
    ['none.pcap', 'none.pcap', 'cannot read none.pcap: no such file'],
    ['empty.pcap', 'none (empty.pcap, byte 0)', undefined],
    ['cut.pcap', 'the end of the file, with 10 of them missing (cut.pcap, byte 24)', 'the file is cut off'],
    ['foreign.bin', 'something else (foreign.bin, byte 0)', 'editcap -F pcap'],
  ])('says what is wrong with %s', (file, received, hint) => {
    const [problem, ...more] = problemsOf(file);
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ path: ['file'], received });
    expect(problem!.hint ?? '').toContain(hint ?? '');
  });
});
