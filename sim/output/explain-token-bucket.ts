import { ignoredFraming } from '../../models/linux/ignored-framing.ts';
import { kernelOf, tcOf } from '../../models/linux/kernel-parameters.ts';
import { policeSettings } from '../../models/linux/police-settings.ts';
import { ETHERNET_HEADER_BYTES } from '../../models/linux/qdisc-base.ts';
import { type Bucket, framingOf, tbfLimitBytes, tbfSettings } from '../../models/linux/tbf-settings.ts';
import { bytesPerSecond } from '../../models/linux/tc.ts';
import type { NestedModel, Values } from '../../models/model.ts';
import type { HopSpec } from '../scenario/scenario.ts';
import { formatDuration } from '../units/duration.ts';
import { conclude, predict } from './explain-conclusion.ts';
import { microseconds, rateLines } from './explain-price.ts';
import { chargedBytes, type ExplainedPacket, lengthLines, packetTitle, plainPacket } from './explained-packet.ts';
import type { Explanation, ExplanationLine, ExplanationSection } from './explanation.ts';
import { deviation, figure, fixed } from './figures.ts';

/** Explains `tbf` or `police` for the given packets; undefined for a policer without a rate. */
export function explainTokenBucket(
  hop: HopSpec,
  { kind, values }: NestedModel,
  packets: readonly ExplainedPacket[],
): Explanation | undefined {
  const rate = values.rate as number | undefined;
  const isTbf = kind === 'tbf';
  const settings = isTbf ? tbfSettings(values) : policeSettings(values);
  const bucket = 'main' in settings ? settings.main : isTbf ? (settings as Bucket) : undefined;
  if (rate === undefined || bucket === undefined) return undefined;
  const [kernel, tc] = [kernelOf(values), tcOf(values)];
  const bufferNs = bucket.bufferTicks * kernel.tickNs;
  const rateBytes = bytesPerSecond(rate);
  const isIngress = kind === 'police' && values.ingress === true;
  const { peak } = settings;
  const maxSizeBytes = 'maxSizeBytes' in settings ? settings.maxSizeBytes : Number.POSITIVE_INFINITY;
  const cuts = 'segments' in settings && settings.segments;
  const prices = packets.map((whole) => {
    // What does not fit the bucket of a tbf is cut before it, and each segment is charged.
    const isCut = cuts && whole.segments > 1 && whole.sizeBytes > maxSizeBytes;
    const packet = isCut ? plainPacket(whole.headersBytes + whole.gsoBytes) : whole;
    const charged = isIngress
      ? packet.sizeBytes - ETHERNET_HEADER_BYTES - (packet.segments - 1) * packet.headersBytes
      : chargedBytes(packet, kernel);
    const ns = ({ cost }: Bucket): number => cost.ticks(charged) * kernel.tickNs;
    const lines: ExplanationLine[] = [
      ...(isIngress ? [ingressLine(packet, charged)] : lengthLines(packet, kernel)),
      {
        label: 'price',
        value: microseconds(ns(bucket) / 1000),
        rule: `in ticks of ${kernel.tickNs} ns: ${fixed(ns(bucket) / kernel.tickNs, 0)}`,
      },
      ...rateLines(ns(bucket), packet, rate, hop.link),
      ...(peak === undefined ? [] : [peakLine(values, packet, ns(peak))]),
    ];
    const cutText = isCut ? `${packetTitle(whole)}, cut by the tbf: ` : '';
    return { packet, steps: { costNs: ns(bucket) }, title: `${cutText}${packetTitle(packet)}`, lines };
  });
  const limit = { bitsPerSecond: rate, what: `the ${kind}'s rate of ${figure(rate, 'rate')}`, who: `the ${kind}` };
  const conclusion = conclude(hop.link, limit, prices);
  const framing = framingOf(values, (values.mtu as number | undefined) ?? 0);
  return {
    subject: `${kind} of ${hop.name}`,
    ...(conclusion === undefined ? {} : { conclusion }),
    predictions: predict(hop.link, limit, prices, false),
    sections: [
      {
        title: 'rate and burst',
        lines: [
          { label: 'rate', value: `${fixed(rateBytes, 0)} bytes/s`, rule: `${fixed(rate, 0)} bit/s / 8` },
          { label: 'burst', value: `${fixed(values.burst as number, 0)} B`, rule: 'as configured' },
          {
            label: 'kernel keeps',
            value: `${fixed(Math.floor((rateBytes * bufferNs) / 1e9), 0)} B`,
            rule: `${microseconds(bufferNs / 1000)} at the rate; kernel ${kernel.version}, tc ${tc.version}`,
          },
        ],
      },
      ...(peak === undefined ? [] : [peakSection(values, peak.bufferTicks * kernel.tickNs, isTbf)]),
      ...(isTbf ? [queueSection(values, rateBytes)] : []),
      ...prices.map(({ title, lines }) => ({ title, lines })),
    ],
    warnings: [
      ...prices
        .filter(({ steps }) => steps.costNs > bufferNs)
        .map(({ packet }) => `packets of ${packet.sizeBytes} B cost more than the bucket holds: they never pass`),
      ...ignoredFraming(kernel, framing).map(({ key, text }) => `${key}: ${text}`),
    ],
  };
}

function ingressLine({ sizeBytes, segments, headersBytes }: ExplainedPacket, charged: number): ExplanationLine {
  const further = segments === 1 ? '' : ` - ${segments - 1} × ${headersBytes} B`;
  const why =
    segments === 1
      ? 'the Ethernet header is gone on ingress'
      : 'on ingress the Ethernet header is gone, and the segments are still one packet';
  return {
    label: 'length',
    value: `${fixed(charged, 0)} B`,
    rule: `${sizeBytes} B - ${ETHERNET_HEADER_BYTES} B${further}: ${why}`,
  };
}

function peakSection({ peakrate, mtu }: Values, bufferNs: number, isTbf: boolean): ExplanationSection {
  const peakBytes = bytesPerSecond(peakrate as number);
  return {
    title: 'peakrate and mtu',
    lines: [
      {
        label: 'peakrate',
        value: `${fixed(peakBytes, 0)} bytes/s`,
        rule: `${fixed(peakrate as number, 0)} bit/s / 8: no burst leaves faster`,
      },
      {
        label: isTbf ? 'minburst' : 'mtu',
        value: `${fixed(mtu as number, 0)} B`,
        rule: `at once at the line's rate: mtu; ${microseconds(bufferNs / 1000)} at the peakrate`,
      },
    ],
  };
}

function peakLine({ peakrate }: Values, { sizeBytes }: ExplainedPacket, priceNs: number): ExplanationLine {
  const bitsPerSecond = (sizeBytes * 8e9) / priceNs;
  return {
    label: 'in a burst',
    value: `${figure(bitsPerSecond, 'rate')}, ${deviation(100 * (bitsPerSecond / (peakrate as number) - 1))}`,
    rule: `${sizeBytes} B / ${microseconds(priceNs / 1000)} by the peakrate of ${figure(peakrate as number, 'rate')}`,
  };
}

/** What waits in front of the bucket, and for how long. */
function queueSection(values: Values, rateBytes: number): ExplanationSection {
  const inner = values.qdisc as NestedModel | undefined;
  if (inner !== undefined) {
    const rule = 'it holds the packets; limit and latency are not used';
    return { title: 'queue', lines: [{ label: 'qdisc', value: inner.kind, rule }] };
  }
  const limitBytes = tbfLimitBytes(values);
  const { latency, burst } = values as { latency?: number; burst: number };
  const formula =
    values.peakrate === undefined
      ? 'rate × latency + burst'
      : 'rate × latency + burst, or peakrate × latency + mtu if that is less';
  const seconds = (bytes: number): string => figure(Math.max(0, bytes) / rateBytes, 'time');
  return {
    title: 'queue',
    lines: [
      {
        label: 'limit',
        value: `${fixed(limitBytes, 0)} B`,
        rule: latency === undefined ? 'as configured' : `${formula}, latency ${formatDuration(latency)}`,
      },
      {
        label: 'longest wait',
        value: seconds(limitBytes),
        rule: `${fixed(limitBytes, 0)} B at the rate, the bucket empty; ${seconds(limitBytes - burst)} where it is full as the queue begins to fill`,
      },
    ],
  };
}
