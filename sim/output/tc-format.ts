import { kernelRelease, type TcRules, tcRelease, tcRules } from '../../models/linux/kernels.ts';
import { printDurationAsTc } from '../units/duration.ts';
import { printRateAsTc } from '../units/rate.ts';

/**
 * How a version of tc prints, and what its kernel gives it to print, where versions differ.
 *
 * From iproute2: rates in the largest prefix that fits since 3.14 (lib: print_rate; before, tc/tc_util.c), direct_qlen
 * since 3.12, RED's probability in place of Plog and sfq's depth since 3.3, linklayer and overhead of a class since 3.11,
 * without the overhead that old versions hid in mpu since 4.0, memory_limit of fq_codel since 4.7, no blank behind
 * "requeues" since 4.16, `default` as 0x since 4.20, times with three digits and drop_batch since 5.7; since 6.2 the
 * blank behind a cell size is missing, in 6.2 itself what separates a leaf's handle. From Linux: rates of estimators
 * that nobody asked for until 2.6.32, of HTB classes until 3.10; a root counts two references since
 * 2.6.32, qdiscs are listed by a hash table since 4.9. The releases of linklayer, of the overhead in mpu and of 0x are those
 * between sources that were read; a few releases before 4.20 that printed `default` in decimal are not told apart.
 */
export interface TcFormat {
  readonly version: string;
  /** Its arithmetic, which turns the kernel's ticks back into bytes. */
  readonly rules: TcRules;
  readonly largePrefixes: boolean;
  readonly threeDigits: boolean;
  /** `default 0x20` instead of `default 20`. */
  readonly prefixesHexadecimal: boolean;
  readonly directLength: boolean;
  /** `linklayer ethernet`, and `overhead 22` behind the rate. */
  readonly linklayer: boolean;
  /** `mpu 0b overhead 0b`: the two bytes of mpu. */
  readonly overheadOfMpu: boolean;
  /** What stands between a cell size and `mpu`. */
  readonly behindCell: string;
  readonly behindLeaf: string;
  readonly behindRequeues: string;
  readonly redProbability: boolean;
  readonly sfqDepth: boolean;
  readonly ceThreshold: boolean;
  readonly memoryLimit: boolean;
  readonly dropBatch: boolean;
  /** `police` of tc filter show counts its own overhead. */
  readonly chains: boolean;
  /** References of a root, where more than one. */
  readonly rootReferences: boolean;
  /** `rate 0bit 0pps` for qdiscs without an estimator. */
  readonly fakeRates: boolean;
  /** Qdiscs are listed in the order of a hash table instead of their creation. */
  readonly hashedQdiscs: boolean;
  /** HTB classes have an estimator of their own. */
  readonly classRates: boolean;
}

function release(major: number, minor: number, patch = 0): number {
  return major * 1_000_000 + minor * 1000 + patch;
}

/**
 * The format of a version of tc on a kernel.
 *
 * @returns undefined for a version that is not modelled
 */
export function tcFormat(version: string, kernelVersion: string): TcFormat | undefined {
  const rules = tcRules(version);
  const tc = tcRelease(version);
  if (rules === undefined || tc === undefined) return undefined;
  // The accounting of the thread has no kernel of its own; what it prints is that of its time.
  const kernel = kernelRelease(kernelVersion) ?? release(2, 6, 25);
  const since = (major: number, minor: number): boolean => tc >= release(major, minor);
  return {
    version,
    rules,
    largePrefixes: since(3, 14),
    threeDigits: since(5, 7),
    prefixesHexadecimal: since(4, 20),
    directLength: since(3, 12) && kernel >= release(3, 13),
    linklayer: since(3, 11),
    overheadOfMpu: !since(4, 0),
    behindCell: since(6, 2) ? '' : ' ',
    behindLeaf: since(6, 2) && !since(6, 3) ? '' : ': ',
    behindRequeues: since(4, 16) ? '' : ' ',
    redProbability: since(3, 3) && kernel >= release(3, 3),
    sfqDepth: since(3, 3) && kernel >= release(3, 3),
    ceThreshold: since(4, 0),
    memoryLimit: since(4, 7) && kernel >= release(4, 7),
    dropBatch: since(5, 7) && kernel >= release(4, 7),
    chains: since(4, 13) && kernel >= release(4, 13),
    rootReferences: kernel >= release(2, 6, 32),
    fakeRates: kernel < release(2, 6, 33),
    hashedQdiscs: kernel >= release(4, 9),
    classRates: kernel < release(3, 11),
  };
}

/** Prints a rate (bit/s) as that version: `20Mbit`, or `20000Kbit`, as old ones do below 1 Gbit/s. */
export function rateText(format: TcFormat, bitsPerSecond: number): string {
  if (format.largePrefixes) return printRateAsTc(bitsPerSecond);
  const bits = Math.floor(bitsPerSecond / 8) * 8;
  if (bits >= 1e9) return `${Math.round(bits / 1e6)}Mbit`;
  return bits >= 1e6 ? `${Math.round(bits / 1e3)}Kbit` : `${bits}bit`;
}

/** Prints a duration (ns) as that version: `5ms`, or `5.0ms`. */
export function timeText(format: TcFormat, ns: number): string {
  if (format.threeDigits) return printDurationAsTc(ns);
  const us = Math.floor(ns / 1000);
  if (us >= 1e6) return `${(us / 1e6).toFixed(1)}s`;
  return us >= 1e3 ? `${(us / 1e3).toFixed(1)}ms` : `${us}us`;
}

/** The class that packets without one go to, as that version prints it. */
export function defaultText(format: TcFormat, minor: number): string {
  const digits = minor.toString(16);
  return format.prefixesHexadecimal && minor !== 0 ? `0x${digits}` : digits;
}

/** C's %g: six significant digits, no zeros at the end. */
export function shareText(value: number): string {
  const text = Number(value.toPrecision(6)).toString();
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
