import type { TransferResult } from '../run/result.ts';

/**
 * Lines of transfers in the layout of the measurements that were sent to curl's mailing list in November 2025: one a
 * transfer, then the mean and the largest deviation from the limit.
 *
 * Times are in whole ms, rates in whole bit/s. Transfers that did not finish are left out of the deviations and marked.
 */
export function formatMail(transfers: readonly TransferResult[]): string[] {
  const lines = transfers.map((transfer) => {
    const difference = transfer.bitsPerSecond - transfer.limitBitsPerSecond;
    const figures = [
      `time=${Math.round(transfer.seconds * 1000)} ms`,
      `dnld=${transfer.bytes} B`,
      `speed=${Math.round(transfer.bitsPerSecond)} bps`,
      `spd_diff=${Math.round(difference)} bps`,
      ...(transfer.completed ? [`pct=${transfer.deviationPercent.toFixed(1)} %`] : []),
    ];
    return figures.join(', ') + (transfer.completed ? '' : ' (not completed)');
  });
  const deviations = transfers.filter((transfer) => transfer.completed).map((transfer) => transfer.deviationPercent);
  if (deviations.length === 0) return lines;
  const mean = deviations.reduce((sum, deviation) => sum + deviation, 0) / deviations.length;
  const largest = deviations.reduce((most, deviation) => (Math.abs(deviation) > Math.abs(most) ? deviation : most));
  return [...lines, `avg_deviation=${mean.toFixed(1)} %`, `max_deviation=${largest.toFixed(1)} %`];
}
