import type { ReadBytes } from '../model.ts';
import { ByteWindow } from './byte-window.ts';
import { BYTE_ORDER_MARK, PacketCsvRecords } from './packet-csv.ts';
import type { PacketRecords } from './packet-records.ts';
import { isPcapMagic, PcapRecords } from './pcap.ts';
import { PcapngRecords, SECTION_HEADER } from './pcapng.ts';

const WHAT = 'a capture (pcap, pcapng) or a CSV with the columns time_s (or time_ns) and size';

/** Beginnings of files that people take for captures, with what they are and what helps; read as big-endian. */
const FOREIGN: readonly {
  readonly magic: number;
  readonly mask: number;
  readonly what: string;
  readonly hint: string;
}[] = [
  { magic: 0x1f8b0000, mask: 0xffff0000, what: 'a file packed by gzip', hint: 'unpack it: gunzip -k FILE' },
  { magic: 0x28b52ffd, mask: 0xffffffff, what: 'a file packed by zstd', hint: 'unpack it: unzstd FILE' },
  { magic: 0x04224d18, mask: 0xffffffff, what: 'a file packed by lz4', hint: 'unpack it: unlz4 FILE' },
  { magic: 0xfd377a58, mask: 0xffffffff, what: 'a file packed by xz', hint: 'unpack it: unxz -k FILE' },
];
const CONVERT = '`editcap -F pcap IN OUT` makes a pcap of other captures';

/** Begins to read a capture or CSV from its first packet. @throws CaptureError for what is none, and what `readBytes` throws */
export function openCapture(file: string, readBytes: ReadBytes): PacketRecords {
  const window = new ByteWindow(file, readBytes);
  const there = window.fill(4);
  if (there === 0) window.fail(WHAT, 'an empty file');
  const magic = there < 4 ? 0 : window.view.getUint32(0);
  if (isPcapMagic(magic)) return new PcapRecords(window);
  if (magic === SECTION_HEADER) return new PcapngRecords(window);
  const foreign = FOREIGN.find((one) => (magic & one.mask) >>> 0 === one.magic);
  if (foreign !== undefined) window.fail(WHAT, foreign.what, foreign.hint);
  if (!looksLikeText(window)) window.fail(WHAT, 'something else', CONVERT);
  return new PacketCsvRecords(window);
}

/** Whether the beginning has printable ASCII and blanks only, as the names of columns have, behind a mark of UTF-8. */
function looksLikeText(window: ByteWindow): boolean {
  window.fill(16);
  const start = BYTE_ORDER_MARK.every((byte, index) => window.bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0;
  return window.bytes
    .subarray(start, Math.min(window.end, 16))
    .every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13));
}
