import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { PacketPool } from '../../../models/packet.ts';
import { csvField } from '../../../sim/output/csv.ts';
import { TraceCsv } from '../../../sim/output/trace-csv.ts';

const folder = mkdtempSync(join(tmpdir(), 'sim-trace-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a field of CSV', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
  ])('%j is written %j', (text, field) => {
    expect(csvField(text)).toBe(field);
  });
});

describe('a trace', () => {
  test('has a line an event, in order, however many there are', () => {
    const path = join(folder, 'trace.csv');
    const trace = new TraceCsv(path);
    const packets = new PacketPool();
    const packet = packets.fill(0, 836, 794, 0, 0, 0);
    const events = 10_000;
    for (let i = 0; i < events; i++) trace.packet('depart', i * 1000, 'wan', 'a,b', '1:10', packet, packets);
    trace.close();
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines[0]).toBe('time_ns,event,hop,flow,class,size');
    expect(lines).toHaveLength(events + 2);
    expect(lines[events]).toBe(`${(events - 1) * 1000},depart,wan,"a,b",1:10,836`);
  });
});
