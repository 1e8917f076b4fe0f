import { describe, expect, test } from 'vitest';
import { MSS_BYTES } from '../../../models/tcp/headers.ts';
import { Bed } from './bed.ts';

const SECOND = 1e9;

describe('the handshake', () => {
  test('lets the sender’s first ten segments go after one round trip when it opens', () => {
    const bed = new Bed();
    bed.runTo(101);
    expect(bed.data.map(({ milliseconds }) => milliseconds)).toEqual(Array(10).fill(100));
    expect(bed.connection.sender.rtt.srttUs).toBe(100_000);
  });

  test('takes a round trip and a half to the first data when the receiver opens', () => {
    const bed = new Bed({ opener: 'receiver' });
    bed.runTo(151);
    expect(bed.data[0]!.milliseconds).toBe(150);
    expect(bed.connection.sender.rtt.srttUs).toBe(100_000);
  });
});

describe('slow start', () => {
  test('doubles the window each round trip', () => {
    const bed = new Bed({ tcp: { congestion: 'reno' } });
    bed.runTo(601);
    const rounds = [1, 2, 3, 4, 5].map((round) => bed.sentBetween(round * 100 - 1, round * 100 + 99).length);
    expect(rounds).toEqual([10, 20, 40, 80, 160]);
  });

  test('sends what was asked for and no more', () => {
    const bed = new Bed({ writing: { blockBytes: 100_000 } });
    bed.runTo(2000);
    // 69 full segments and 88 bytes.
    expect(bed.data).toHaveLength(70);
    expect(bed.data.at(-1)!.payloadBytes).toBe(100_000 - 69 * MSS_BYTES);
    expect(bed.readBytes).toBe(100_000);
    expect(bed.packets.live).toBe(0);
  });
});

describe('acknowledgements', () => {
  test('come for each of the first segments, later for every second', () => {
    const bed = new Bed({ tcp: { rcvbuf: 200_000 }, writing: { blockBytes: 4e6 } });
    bed.runTo(5000);
    const acks = bed.acks.filter(({ sequence }) => sequence > 0);
    expect(acks.slice(0, 10).map(({ sequence }) => sequence / MSS_BYTES)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const late = acks.slice(-400);
    const bytesPerAck = (late.at(-1)!.sequence - late[0]!.sequence) / (late.length - 1);
    expect(bytesPerAck / MSS_BYTES).toBeGreaterThan(1.8);
  });

  test('of a lone full segment that nothing follows wait for 40 ms and a tick', () => {
    // A window of one packet: the second segment waits for the first one's ACK. 16 quick ACKs come before.
    const bed = new Bed({ tcp: { rcvbuf: 2304, congestion: 'reno' } });
    bed.runTo(4000);
    const gaps = bed.acks.slice(25).map(({ milliseconds }, index) => milliseconds - bed.acks[index + 24]!.milliseconds);
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(100 + 48);
  });
});

describe('a window below the bandwidth-delay product', () => {
  test('caps the rate at window / round trip', () => {
    const bed = new Bed({ tcp: { rcvbuf: 160_000 } });
    bed.runTo(10_000);
    const before = bed.readBytes;
    bed.runTo(20_000);
    // 320000 * 160 / 256 = 200000 bytes, less the segment that lies in the queue when the offer is made: 1440.
    const window = 320_000 * 0.625 - 1440;
    expect(((bed.readBytes - before) * 0.1) / 10 / window).toBeCloseTo(1, 1);
    expect(Math.abs(((bed.readBytes - before) * 0.1) / 10 / window - 1)).toBeLessThan(0.02);
  });
});

describe('loss', () => {
  test('of one segment is repaired after one round trip, once three behind it are SACKed', () => {
    const bed = new Bed({ lose: [15], writing: { blockBytes: 1e6 } });
    bed.runTo(6000);
    const lost = bed.data[14]!;
    const repairs = bed.data.filter(({ sequence }) => sequence === lost.sequence).slice(1);
    expect(repairs.map(({ milliseconds }) => milliseconds - lost.milliseconds)).toEqual([100]);
    expect(bed.readBytes).toBe(1e6);
    expect(bed.connection.sender.timeouts).toBe(0);
  });

  test('brings Reno’s window to half of what it was', () => {
    // The first 70 segments fill three rounds; 40 were acknowledged by the time that the third SACK comes.
    const bed = new Bed({ lose: [40], tcp: { congestion: 'reno' } });
    bed.runTo(349);
    const before = bed.connection.sender.window.packets;
    bed.runTo(599);
    expect(bed.connection.sender.window.threshold).toBeGreaterThanOrEqual(before >> 1);
    expect(bed.connection.sender.recovery.state).toBe(0);
    expect(bed.connection.sender.retransmittedSegments).toBe(1);
  });

  test('of a retransmission is found without a timeout', () => {
    const bed = new Bed({ lose: [15], writing: { blockBytes: 1e6 } });
    bed.runTo(6000);
    const repair = bed.data.findIndex(({ sequence }, index) => index > 14 && sequence === bed.data[14]!.sequence) + 1;
    const again = new Bed({ lose: [15, repair], writing: { blockBytes: 1e6 } });
    again.runTo(6000);
    expect(again.readBytes).toBe(1e6);
    expect(again.connection.sender.retransmittedSegments).toBe(2);
    expect(again.connection.sender.timeouts).toBe(0);
  });

  test('of the last segment is repaired by a tail-loss probe', () => {
    const bed = new Bed({ lose: [70], writing: { blockBytes: 100_000 } });
    bed.runTo(5000);
    expect(bed.readBytes).toBe(100_000);
    expect([bed.connection.sender.retransmittedSegments, bed.connection.sender.timeouts]).toEqual([1, 0]);
  });

  test('of everything ends in a timeout of 200 ms and a round trip, doubled each time', () => {
    const lose = Array.from({ length: 14 }, (_, index) => index + 1);
    const bed = new Bed({ lose, writing: { blockBytes: 14_480 } });
    bed.runTo(10_000);
    expect(bed.readBytes).toBe(14_480);
    const repeats = bed.data.filter(({ sequence }) => sequence === 0).map(({ milliseconds }) => milliseconds);
    // 300 ms are 75 ticks of 4 ms: slots of 8 ticks; the probe, 2 * 100 + 2 ms after the start, comes before.
    expect(repeats[1]! - repeats[0]!).toBeGreaterThanOrEqual(300);
    expect(repeats[1]! - repeats[0]!).toBeLessThanOrEqual(300 + 32);
    expect(repeats[2]! - repeats[1]!).toBeGreaterThanOrEqual(600);
    expect(repeats[2]! - repeats[1]!).toBeLessThanOrEqual(600 + 256);
  });
});

describe('pauses', () => {
  const writing = { blockBytes: 2e6, blocks: 2 };

  test('of some timeouts bring the window back to ten packets', () => {
    const bed = new Bed({ writing: { ...writing, idleNs: 3 * SECOND } });
    bed.runTo(12_000);
    const second = bed.data.find(({ sequence }) => sequence === 2e6)!;
    expect(bed.sentBetween(second.milliseconds, second.milliseconds + 99)).toHaveLength(10);
  });

  test('leave the window as it is where that is switched off', () => {
    const bed = new Bed({ writing: { ...writing, idleNs: 3 * SECOND }, tcp: { slowStartAfterIdle: false } });
    bed.runTo(12_000);
    const second = bed.data.find(({ sequence }) => sequence === 2e6)!;
    expect(bed.sentBetween(second.milliseconds, second.milliseconds + 99).length).toBeGreaterThan(500);
  });
});

describe('a segment that others overtake', () => {
  /** Sequence numbers that were sent more than once, in segments, of ten segments and then twenty. */
  const repeated = (late: Readonly<Record<number, number>>): number[] => {
    const bed = new Bed({ late });
    bed.runTo(390);
    const seen = new Set<number>();
    return bed.data.flatMap(({ sequence }) => {
      if (!seen.has(sequence)) {
        seen.add(sequence);
        return [];
      }
      return [sequence / MSS_BYTES];
    });
  };

  test('is sent again once three behind it are SACKed, where the path has kept the order so far', () => {
    expect(repeated({ 15: 20 })).toEqual([14]);
  });

  // The ninth segment is overtaken by one only, which is no sign of a loss, and then known to have been late.
  test('is waited for a quarter of the round trip of 100 ms, where order was lost before', () => {
    expect(repeated({ 9: 1, 15: 20 })).toEqual([]);
    expect(repeated({ 9: 1, 15: 30 })).toEqual([14]);
  });
});

describe('a reader that stops', () => {
  const stopped = { periodNs: 5 * SECOND, lumpBytes: 65_536 };

  test('stops the sender when the window is full, and gets data a round trip after it reads on', () => {
    const bed = new Bed({ tcp: { rcvbufMax: 131072 }, reading: stopped });
    bed.runTo(4000);
    const { receiver } = bed.connection;
    expect(receiver.queuedBytes / 81_920).toBeCloseTo(1, 1);
    const stalledAt = bed.data.at(-1)!.milliseconds;
    bed.runTo(6000);
    const next = bed.data.find(({ milliseconds }) => milliseconds > 5000)!;
    // Read 5 s after the connection stood, at 150 ms; the update takes half a round trip to the sender.
    expect(stalledAt).toBeLessThan(2000);
    expect(next.milliseconds).toBeCloseTo(5200, 0);
  });

  test('is asked for its window at longer and longer intervals', () => {
    const bed = new Bed({ tcp: { rcvbufMax: 131072 }, reading: { periodNs: 60 * SECOND, lumpBytes: 65_536 } });
    bed.runTo(20_000);
    const answers = bed.acks.filter(({ windowBytes, milliseconds }) => windowBytes === 0 && milliseconds > 1500);
    const gaps = answers.slice(1).map(({ milliseconds }, index) => milliseconds - answers[index]!.milliseconds);
    expect(gaps.length).toBeGreaterThan(2);
    gaps.slice(1).forEach((gap, index) => {
      expect(gap / gaps[index]!).toBeGreaterThan(1.6);
    });
  });
});

describe('a sender that paces', () => {
  test('spaces its bursts over the round trip', () => {
    const bed = new Bed({ tcp: { pacing: true, congestion: 'reno' } });
    bed.runTo(501);
    const times = bed.sentBetween(301, 401).map(({ milliseconds }) => milliseconds);
    const longest = Math.max(...times.slice(1).map((time, index) => time - times[index]!));
    // Twice the window a round trip: within half of it; without pacing all would leave at 400.
    expect(new Set(times).size).toBeGreaterThan(times.length / 4);
    expect(longest).toBeLessThan(60);
  });
});
