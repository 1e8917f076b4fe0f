import { tbfLimitBytes } from '../../models/linux/tbf-settings.ts';
import type { Values } from '../../models/model.ts';
import { printDurationAsTc } from '../units/duration.ts';
import { printRateAsTc } from '../units/rate.ts';
import { printSizeAsTc } from '../units/size.ts';

/** Counters by name. */
export type Counters = Readonly<Record<string, number>>;

const DEFAULT_QUEUE_PACKETS = 1000;
const FRAME_BYTES = 1514;
const FIFO_PRIOMAP = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];

/** The options of a qdisc as `tc -d qdisc show` of iproute2 6.1 prints them behind its place. */
export function qdiscOptionsText(kind: string, values: Values, counters: Counters): string {
  const number = (name: string): number | undefined => values[name] as number | undefined;
  const queue = number('txQueueLen') ?? DEFAULT_QUEUE_PACKETS;
  switch (kind) {
    case 'htb': {
      const minor = ((number('default') ?? 0) % 0x10000).toString(16);
      const direct = counters.directPackets ?? 0;
      const shown = minor === '0' ? '0' : `0x${minor}`;
      return `r2q ${number('r2q')} default ${shown} direct_packets_stat ${direct} ver 3.17 direct_qlen ${number('directQlen') ?? queue}`;
    }
    case 'pfifo':
    case 'pfifo_head_drop':
      return `limit ${number('limit') ?? queue}p`;
    case 'bfifo':
      return `limit ${printSizeAsTc(number('limit') ?? queue * FRAME_BYTES)}`;
    case 'tbf':
      return tbfText(values);
    case 'prio':
      return `bands ${number('bands')} priomap ${((values.priomap as number[] | undefined) ?? FIFO_PRIOMAP).join(' ')}`;
    case 'codel':
      return `limit ${number('limit')}p ${lawText(values)} ${values.ecn === true ? 'ecn ' : ''}`;
    case 'fq_codel': {
      const quantum = counters.quantum ?? number('quantum') ?? FRAME_BYTES;
      const memory = printSizeAsTc(number('memoryLimit') ?? 0);
      const ecn = values.ecn === true ? 'ecn ' : '';
      return `limit ${number('limit')}p flows ${number('flows')} quantum ${quantum} ${lawText(values)} memory_limit ${memory} ${ecn}drop_batch ${number('dropBatch') ?? 64} `;
    }
    case 'sfq': {
      const { limit = 127, quantum = FRAME_BYTES, maxdepth = 127, divisor = 1024, maxflows = 128 } = counters;
      const perturb = number('perturb');
      const period = perturb === undefined || perturb === 0 ? '' : `perturb ${perturb / 1e9}sec `;
      return `limit ${limit}p quantum ${printSizeAsTc(quantum)} depth ${maxdepth} ${values.headdrop === true ? 'headdrop ' : ''}flows ${maxflows}/${divisor} divisor ${divisor} ${period}`;
    }
    case 'red':
      return `limit ${printSizeAsTc(number('limit') ?? 0)} min ${printSizeAsTc(redMin(values))} max ${printSizeAsTc(redMax(values))} ${values.ecn === true ? 'ecn ' : ''}`;
    default:
      return '';
  }
}

/** Lines that a kind adds to the statistics. */
export function qdiscStatisticsText(kind: string, counters: Counters): string[] {
  const { maxPacket = 0, dropOverlimit = 0, newFlowCount = 0, ecnMark = 0 } = counters;
  if (kind === 'fq_codel') {
    const { newFlowsLen = 0, oldFlowsLen = 0 } = counters;
    return [
      `  maxpacket ${maxPacket} drop_overlimit ${dropOverlimit} new_flow_count ${newFlowCount} ecn_mark ${ecnMark}`,
      `  new_flows_len ${newFlowsLen} old_flows_len ${oldFlowsLen}`,
    ];
  }
  return [];
}

function lawText(values: Values): string {
  const target = (values.target as number | undefined) ?? 5e6;
  const interval = (values.interval as number | undefined) ?? 100e6;
  return `target ${shownTime(target)} interval ${shownTime(interval)}`;
}

/** The kernel keeps units of 1,024 ns and reports whole microseconds; tc prints three digits of them. */
function shownTime(ns: number): string {
  const us = Math.floor((Math.floor((Math.floor(ns / 1000) * 1000) / 1024) * 1024) / 1000);
  return printDurationAsTc(us * 1000);
}

function tbfText(values: Values): string {
  const { rate, burst, mpu, overhead, linklayer, peakrate, mtu } = values as {
    rate: number;
    burst: number;
    mpu: number;
    overhead: number;
    linklayer: string;
    peakrate?: number;
    mtu?: number;
  };
  const bytesPerSecond = Math.floor(rate / 8);
  // The kernel gives the bucket back in ticks of 64 ns, which tc turns into whole microseconds and those into bytes.
  const shown = (perSecond: number, bytes: number): number => {
    const ticks = Math.floor(((bytes + overhead) * 1e9) / perSecond / 64);
    return Math.floor((perSecond * Math.floor(ticks / 15.625)) / 1e6);
  };
  const limit = tbfLimitBytes(values);
  const bucketUs = Math.floor(Math.floor(((burst + overhead) * 1e9) / bytesPerSecond / 64) / 15.625);
  let latencyUs = 1e6 * (limit / bytesPerSecond) - bucketUs;
  const parts = [
    `rate ${printRateAsTc(bytesPerSecond * 8)} burst ${printSizeAsTc(shown(bytesPerSecond, burst))}/1 mpu ${printSizeAsTc(mpu)}`,
  ];
  if (peakrate !== undefined && mtu !== undefined) {
    const peak = Math.floor(peakrate / 8);
    parts.push(
      `peakrate ${printRateAsTc(peak * 8)} minburst ${printSizeAsTc(shown(peak, mtu))}/1 mpu ${printSizeAsTc(mpu)}`,
    );
    latencyUs = Math.max(
      latencyUs,
      1e6 * (limit / peak) - Math.floor(Math.floor(((mtu + overhead) * 1e9) / peak / 64) / 15.625),
    );
  }
  parts.push(
    latencyUs >= 0 ? `lat ${printDurationAsTc(Math.floor(latencyUs) * 1000)}` : `limit ${printSizeAsTc(limit)}`,
  );
  if (overhead > 0) parts.push(`overhead ${overhead}`);
  return `${parts.join(' ')} linklayer ${linklayer === 'ethernet' ? 'ethernet' : 'atm'} `;
}

/** Defaults of tc for what is not given (tc/q_red.c). */
function redMax(values: Values): number {
  const { limit, min, max } = values as { limit: number; min?: number; max?: number };
  return max ?? (min === undefined ? Math.floor(limit / 4) : min * 3);
}

function redMin(values: Values): number {
  const { min } = values as { min?: number };
  return min ?? Math.floor(redMax(values) / 3);
}
