import { kernelOf } from '../../models/linux/kernel-parameters.ts';
import { policeSettings } from '../../models/linux/police-settings.ts';
import { transmitSizeBytes } from '../../models/linux/tc.ts';
import type { Values } from '../../models/model.ts';
import { printSizeAsTc } from '../units/size.ts';
import { rateText, type TcFormat } from './tc-format.ts';
import type { Counters } from './tc-show-qdisc.ts';

/** A policer, and when it is shown. */
export interface PolicerState {
  readonly values: Values;
  readonly counters: Counters;
  /** The clock when it is shown, and how long it has been there (ns). */
  readonly nowNs: number;
  readonly installedNs: number;
}

/** Verdicts whose names tc shows otherwise than a scenario. */
const SHOWN_VERDICTS: Readonly<Record<string, string>> = { ok: 'pass' };
/** Below a hundredth of a second an action counts as just used. */
const USER_TICK_NS = 10e6;

/** The filter that holds a policer, as `tc -s -d filter show` prints it: one that matches everything. */
export function policeFilterText(format: TcFormat, { values, counters, nowNs, installedNs }: PolicerState): string {
  const settings = policeSettings(values);
  const kernel = kernelOf(values);
  const { rate = 0, peakrate, avrate, pktsRate, overhead = 0 } = values as Record<string, number | undefined>;
  const toTicks = (bufferTicks: number): number => Math.floor((bufferTicks * kernel.tickNs) / kernel.netlinkTickNs);
  const bytesPerSecond = Math.floor(rate / 8);
  const sizeOf = (perSecond: number, bufferTicks: number): number =>
    transmitSizeBytes(format.rules, perSecond, toTicks(bufferTicks), kernel.netlinkTickNs);
  const burst = settings.main === undefined ? 0 : sizeOf(bytesPerSecond, settings.main.bufferTicks);
  const words = [
    `rate ${rateText(format, bytesPerSecond * 8)} burst ${printSizeAsTc(burst)} mtu ${printSizeAsTc(settings.mtuBytes)}`,
  ];
  if (peakrate !== undefined) words.push(`peakrate ${rateText(format, Math.floor(peakrate / 8) * 8)}`);
  if (avrate !== undefined) words.push(`avrate ${rateText(format, Math.floor(avrate / 8) * 8)}`);
  if (pktsRate !== undefined && settings.packetRate !== undefined) {
    words.push(`pkts_rate ${pktsRate} pkts_burst ${sizeOf(pktsRate, settings.packetRate.bufferTicks)}`);
  }
  // The kernel tells the verdict within the rate only where it is not to pass.
  const conform = settings.conform === 'ok' ? '' : `/${settings.conform}`;
  words.push(`action ${SHOWN_VERDICTS[settings.exceed] ?? settings.exceed}${conform}`);
  words.push(`overhead ${printSizeAsTc(overhead)}`);
  const layer = settings.main === undefined ? 'unspec' : values.linklayer === 'ethernet' ? 'ethernet' : 'atm';
  if (format.linklayer) words.push(`linklayer ${layer}`);
  const filter = `filter protocol all pref 1 matchall${format.chains ? ' chain 0' : ''} `;
  const { policedBytes = 0, policedPackets = 0, shot = 0, exceeded = 0, lastUseNs = 0 } = counters;
  const unused = nowNs - lastUseNs;
  const used = policedPackets > 0 && unused < USER_TICK_NS ? '' : ` used ${Math.floor(unused / 1e9)} sec`;
  return [
    filter,
    `${filter}handle 0x1 `,
    ...(format.chains ? ['  not_in_hw'] : []),
    `\taction order 1:  police 0x1 ${words.join(' ')} `,
    `\tref 1 bind 1  installed ${Math.floor(installedNs / 1e9)} sec${used}`,
    '\tAction statistics:',
    `\tSent ${policedBytes} bytes ${policedPackets} pkt (dropped ${shot}, overlimits ${exceeded} requeues 0) `,
    `\tbacklog 0b 0p requeues 0${format.behindRequeues}`,
  ].join('\n');
}
