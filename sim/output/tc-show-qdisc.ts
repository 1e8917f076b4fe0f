import { CE_THRESHOLD_OFF, codelTime } from '../../models/linux/codel-control.ts';
import { kernelOf } from '../../models/linux/kernel-parameters.ts';
import { redParameters } from '../../models/linux/red-tc.ts';
import { tbfLimitBytes, tbfSettings } from '../../models/linux/tbf-settings.ts';
import { cellLogOf, ticksPerMicrosecond, transmitSizeBytes } from '../../models/linux/tc.ts';
import type { Values } from '../../models/model.ts';
import { printSizeAsTc } from '../units/size.ts';
import { defaultText, rateText, shareText, type TcFormat, timeText } from './tc-format.ts';
import { netemText } from './tc-show-netem.ts';

/** Counters by name. */
export type Counters = Readonly<Record<string, number>>;

/** What is shown of a qdisc. */
export interface QdiscState {
  readonly kind: string;
  readonly values: Values;
  readonly counters: Counters;
  /** The clock when it is shown (ns). */
  readonly nowNs: number;
}

const DEFAULT_QUEUE_PACKETS = 1000;
const DEFAULT_MTU_BYTES = 1500;
const ETHERNET_HEADER_BYTES = 14;
const FIFO_PRIOMAP = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
/** Average packet that tc takes for RED within sfq. */
const SFQ_AVERAGE_BYTES = 1000;
/** Buckets of fq's hash, and the mask of sockets without an owner; both are the kernel's own. */
const FQ_BUCKETS = 1024;
const FQ_ORPHAN_MASK = 1023;
const PROBABILITY_ONE = 2 ** 32;

/** The options of a qdisc as `tc -d qdisc show` prints them behind its place. */
export function qdiscOptionsText(format: TcFormat, { kind, values, counters }: QdiscState): string {
  const number = (name: string): number | undefined => values[name] as number | undefined;
  const queue = number('txQueueLen') ?? DEFAULT_QUEUE_PACKETS;
  const frame = (number('deviceMtu') ?? DEFAULT_MTU_BYTES) + ETHERNET_HEADER_BYTES;
  switch (kind) {
    case 'htb':
      return htbText(format, values, counters, queue);
    case 'pfifo':
    case 'pfifo_head_drop':
      return `limit ${number('limit') ?? queue}p`;
    case 'bfifo':
      return `limit ${printSizeAsTc(number('limit') ?? queue * frame)}`;
    case 'pfifo_fast':
      return `bands 3 priomap ${FIFO_PRIOMAP.join(' ')}`;
    case 'tbf':
      return tbfText(format, values);
    case 'prio': {
      const map = (values.priomap as number[] | undefined) ?? [];
      return `bands ${number('bands')} priomap ${[...map, ...FIFO_PRIOMAP.slice(map.length)].join(' ')}`;
    }
    case 'codel':
      return `limit ${number('limit')}p ${lawText(format, values)}${values.ecn === true ? 'ecn ' : ''}`;
    case 'fq_codel':
      return fqCodelText(format, values, counters.quantum ?? number('quantum') ?? frame);
    case 'sfq':
      return sfqText(format, values, counters, frame);
    case 'red':
      return redText(format, values);
    case 'fq':
      return fqText(format, values, frame);
    case 'netem':
      return netemText(format, values);
    default:
      return '';
  }
}

/** Lines that a kind adds to its options, before the statistics. */
export function qdiscOptionLines({ kind, values, counters }: QdiscState): string[] {
  if (kind !== 'sfq' || values.redflowlimit === undefined) return [];
  const { probMark = 0, probMarkHead = 0, probDrop = 0, forcedMark = 0, forcedMarkHead = 0, forcedDrop = 0 } = counters;
  return [
    `  prob_mark ${probMark} prob_mark_head ${probMarkHead} prob_drop ${probDrop}`,
    `  forced_mark ${forcedMark} forced_mark_head ${forcedMarkHead} forced_drop ${forcedDrop}`,
  ];
}

/** Lines that a kind adds to the statistics. */
export function qdiscStatisticsText(format: TcFormat, { kind, counters, nowNs }: QdiscState): string[] {
  const { maxPacket = 0, dropOverlimit = 0, ecnMark = 0, ceMark = 0 } = counters;
  switch (kind) {
    case 'fq_codel': {
      const { newFlowCount = 0, newFlowsLen = 0, oldFlowsLen = 0, memoryUsed = 0, dropOvermemory = 0 } = counters;
      const more = [
        ...(format.ceThreshold && ceMark > 0 ? [`ce_mark ${ceMark}`] : []),
        ...(format.memoryLimit && memoryUsed > 0 ? [`memory_used ${memoryUsed}`] : []),
        ...(format.memoryLimit && dropOvermemory > 0 ? [`drop_overmemory ${dropOvermemory}`] : []),
      ];
      const line = `  maxpacket ${maxPacket} drop_overlimit ${dropOverlimit} new_flow_count ${newFlowCount} ecn_mark ${ecnMark}`;
      return [[line, ...more].join(' '), `  new_flows_len ${newFlowsLen} old_flows_len ${oldFlowsLen}`];
    }
    case 'codel': {
      const { count = 0, lastCount = 0, ldelay = 0 } = counters;
      const law = [`  count ${count} lastcount ${lastCount} ldelay ${timeText(format, codelNs(ldelay))}`];
      if (counters.dropping === 1) law.push('dropping', ...dropNextText(format, counters.dropNext ?? 0, nowNs));
      const marks = ceMark > 0 && format.ceThreshold ? ` ce_mark ${ceMark}` : '';
      return [law.join(' '), `  maxpacket ${maxPacket} ecn_mark ${ecnMark} drop_overlimit ${dropOverlimit}${marks}`];
    }
    case 'red': {
      const { probDrop = 0, probMark = 0, forcedDrop = 0, forcedMark = 0, pdrop = 0 } = counters;
      return [`  marked ${probMark + forcedMark} early ${probDrop + forcedDrop} pdrop ${pdrop} other 0 `];
    }
    case 'fq': {
      const { flows = 0, inactiveFlows = 0, throttledFlows = 0, throttled = 0, flowsPlimit = 0 } = counters;
      const { nextPacketNs = 0, pktsTooLong = 0 } = counters;
      const wait = nextPacketNs > nowNs ? ` next_packet_delay ${timeText(format, nextPacketNs - nowNs)}` : '';
      const full = flowsPlimit > 0 ? ` flows_plimit ${flowsPlimit}` : '';
      return [
        `  flows ${flows} (inactive ${inactiveFlows} throttled ${throttledFlows})${wait}`,
        `  gc 0 highprio 0 throttled ${throttled}${full}`,
        ...(pktsTooLong > 0 ? [` pkts_too_long ${pktsTooLong} alloc_errors 0`] : []),
      ];
    }
    default:
      return [];
  }
}

function htbText(format: TcFormat, values: Values, counters: Counters, queue: number): string {
  const { r2q, default: standard = 0, directQlen = queue } = values as Record<string, number>;
  const length = format.directLength ? ` direct_qlen ${directQlen}` : '';
  const minor = defaultText(format, standard % 0x10000);
  return `r2q ${r2q} default ${minor} direct_packets_stat ${counters.directPackets ?? 0} ver 3.17${length}`;
}

/** CoDel's units of 1.024 µs as the kernel reports them, in whole µs. */
function codelNs(units: number): number {
  return Math.floor((units * 1024) / 1000) * 1000;
}

/** How far off the next drop is, before or behind the present. */
function dropNextText(format: TcFormat, dropNext: number, nowNs: number): string[] {
  const distance = (dropNext - codelTime(nowNs)) | 0;
  if (distance === 0) return [];
  return [`drop_next ${distance < 0 ? '-' : ''}${timeText(format, codelNs(Math.abs(distance)))}`];
}

/** What codel and fq_codel have in common, with a blank at the end. */
function lawText(format: TcFormat, values: Values): string {
  const { target = 5e6, interval = 100e6, ceThreshold } = values as Record<string, number | undefined>;
  const shown = (ns: number): string => timeText(format, codelNs(codelTime(Math.floor(ns / 1000) * 1000)));
  const isShown = format.ceThreshold && ceThreshold !== undefined && codelTime(ceThreshold) < CE_THRESHOLD_OFF;
  return `target ${shown(target)} ${isShown ? `ce_threshold ${shown(ceThreshold)} ` : ''}interval ${shown(interval)} `;
}

function fqCodelText(format: TcFormat, values: Values, quantum: number): string {
  const { limit, flows, memoryLimit = 0, dropBatch = 64 } = values as Record<string, number>;
  const memory = format.memoryLimit ? `memory_limit ${printSizeAsTc(memoryLimit)} ` : '';
  const ecn = values.ecn === true ? 'ecn ' : '';
  const batch = format.dropBatch ? `drop_batch ${dropBatch} ` : '';
  return `limit ${limit}p flows ${flows} quantum ${quantum} ${lawText(format, values)}${memory}${ecn}${batch}`;
}

function sfqText(format: TcFormat, values: Values, counters: Counters, frame: number): string {
  const { limit = 127, quantum = frame, maxdepth = 127, divisor = 1024, maxflows = 128 } = counters;
  const perturb = (values.perturb as number | undefined) ?? 0;
  const period = perturb === 0 ? '' : `perturb ${perturb / 1e9}sec `;
  const begin = `limit ${limit}p quantum ${printSizeAsTc(quantum)} `;
  if (!format.sfqDepth) return `${begin}flows ${limit}/${divisor} ${period}`;
  const head = values.headdrop === true ? 'headdrop ' : '';
  return `${begin}depth ${maxdepth} ${head}flows ${maxflows} divisor ${divisor} ${period}${sfqRedText(values)}`;
}

function sfqRedText(values: Values): string {
  const { redflowlimit } = values as { redflowlimit?: number };
  if (redflowlimit === undefined) return '';
  const own = redParameters({ avpkt: SFQ_AVERAGE_BYTES, ...values }, redflowlimit, false);
  const flags = ['ecn', 'harddrop'].filter((name) => values[name] === true).map((name) => `${name} `);
  const bounds = `ewma ${own.wLog} min ${printSizeAsTc(own.minBytes)} max ${printSizeAsTc(own.maxBytes)} `;
  return `${bounds}probability ${shareText(own.maxP / PROBABILITY_ONE)} ${flags.join('')}`;
}

function redText(format: TcFormat, values: Values): string {
  const limit = values.limit as number;
  const own = redParameters(values, limit, true);
  const flags = ['ecn', 'harddrop', 'adaptive', 'nodrop'].filter((name) => values[name] === true);
  const law = format.redProbability ? `probability ${shareText(own.maxP / PROBABILITY_ONE)}` : `Plog ${own.pLog}`;
  return [
    `limit ${printSizeAsTc(limit)} min ${printSizeAsTc(own.minBytes)} max ${printSizeAsTc(own.maxBytes)}`,
    ...flags,
    `ewma ${own.wLog} ${law} Scell_log ${own.cellLog}`,
  ].join(' ');
}

function fqText(format: TcFormat, values: Values, frame: number): string {
  const { limit, flowLimit, quantum = 2 * frame, initialQuantum = 10 * frame } = values as Record<string, number>;
  const { maxrate, lowRateThreshold, refillDelay } = values as Record<string, number | undefined>;
  const rate = maxrate === undefined ? '' : `maxrate ${rateText(format, maxrate)} `;
  return [
    `limit ${limit}p flow_limit ${flowLimit}p buckets ${FQ_BUCKETS} orphan_mask ${FQ_ORPHAN_MASK}`,
    `quantum ${printSizeAsTc(quantum)} initial_quantum ${printSizeAsTc(initialQuantum)}`,
    `${rate}low_rate_threshold ${rateText(format, lowRateThreshold ?? 0)} refill_delay ${timeText(format, refillDelay ?? 0)}`,
    `timer_slack ${timeText(format, 10_000)} horizon ${timeText(format, 10e9)} horizon_drop `,
  ].join(' ');
}

function tbfText(format: TcFormat, values: Values): string {
  const {
    rate,
    mpu,
    overhead,
    linklayer,
    peakrate,
    mtu = 0,
  } = values as {
    rate: number;
    mpu: number;
    overhead: number;
    linklayer: string;
    peakrate?: number;
    mtu?: number;
  };
  const { bufferTicks, peak } = tbfSettings(values);
  const { tickNs, netlinkTickNs, cost } = kernelOf(values);
  // The kernel gives a bucket back in tc's ticks, which tc turns into whole microseconds and those into bytes.
  const cell = cost === 'fixed-point' ? 1 : 2 ** cellLogOf(mtu);
  const limit = tbfLimitBytes(values);
  const bucketOf = (bitsPerSecond: number, ticks: number): { readonly shown: string; readonly latencyUs: number } => {
    const bytesPerSecond = Math.floor(bitsPerSecond / 8);
    const told = Math.floor((ticks * tickNs) / netlinkTickNs);
    const size = transmitSizeBytes(format.rules, bytesPerSecond, told, netlinkTickNs);
    const us = Math.floor(told / ticksPerMicrosecond(netlinkTickNs));
    const shown = `${printSizeAsTc(size)}/${cell} mpu ${printSizeAsTc(mpu)}`;
    return { shown, latencyUs: 1e6 * (limit / bytesPerSecond) - us };
  };
  const own = bucketOf(rate, bufferTicks);
  let { latencyUs } = own;
  const parts = [`rate ${rateText(format, rate)} burst ${own.shown}`];
  if (peakrate !== undefined && peak !== undefined) {
    const small = bucketOf(peakrate, peak.bufferTicks);
    parts.push(`peakrate ${rateText(format, peakrate)} mtu ${small.shown}`);
    latencyUs = Math.max(latencyUs, small.latencyUs);
  }
  parts.push(
    latencyUs >= 0 ? `lat ${timeText(format, Math.floor(latencyUs) * 1000)}` : `limit ${printSizeAsTc(limit)}`,
  );
  if (overhead > 0) parts.push(`overhead ${overhead}`);
  if (format.linklayer) parts.push(`linklayer ${linklayer === 'ethernet' ? 'ethernet' : 'atm'}`);
  return `${parts.join(' ')} `;
}
