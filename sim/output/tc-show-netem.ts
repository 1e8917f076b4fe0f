import { netemTimeNs } from '../../models/linux/netem-settings.ts';
import type { Values } from '../../models/model.ts';
import { rateText, shareText, type TcFormat, timeText } from './tc-format.ts';

const LARGEST_U32 = 2 ** 32 - 1;

/** The options of netem as `tc qdisc show` prints them: in an order of its own, what is 0 left out. */
export function netemText(format: TcFormat, values: Values): string {
  const number = (name: string): number => (values[name] as number | undefined) ?? 0;
  const chance = (name: string): string[] => {
    const share = percent(number(name));
    if (number(name) === 0) return [];
    const correlation = number(`${name}Correlation`);
    return [name, share, ...(correlation > 0 ? [percent(correlation)] : [])];
  };
  const words = ['limit', String(number('limit'))];
  const [delayNs, jitterNs] = [netemTimeNs(number('delay')), netemTimeNs(number('jitter'))];
  if (delayNs > 0) {
    words.push('delay', timeText(format, delayNs));
    // Two blanks before the jitter are tc's own.
    if (jitterNs > 0) words.push('', timeText(format, jitterNs));
    if (number('delayCorrelation') > 0) words.push(percent(number('delayCorrelation')));
  }
  words.push(
    ...chance('loss'),
    ...chainText(values),
    ...chance('duplicate'),
    ...chance('reorder'),
    ...chance('corrupt'),
  );
  if (number('rate') > 0) {
    words.push('rate', rateText(format, number('rate')));
    for (const name of ['packetOverhead', 'cellSize', 'cellOverhead']) {
      if (number(name) !== 0) words.push(name.toLowerCase(), String(number(name)));
    }
  }
  words.push(...slotText(format, values.slot as Values | undefined));
  const text = `${words.join(' ')}${values.ecn === true ? ' ecn ' : ''}`;
  return values.reorder === undefined ? text : `${text} gap ${number('gap') || 1}`;
}

function chainText({ lossState, lossGemodel }: Values): string[] {
  if (lossState !== undefined) {
    const { p13, p31 = 1 - p13!, p32, p23, p14 } = lossState as Record<string, number>;
    const parts = { p13, p31, p32, p23, p14 };
    return ['loss', 'state', ...Object.entries(parts).flatMap(([name, share]) => [name, percent(share!)])];
  }
  if (lossGemodel === undefined) return [];
  const { p, r = 1 - p!, lossInBad, lossInGood } = lossGemodel as Record<string, number>;
  const parts = { p, r, '1-h': lossInBad, '1-k': lossInGood };
  return ['loss', 'gemodel', ...Object.entries(parts).flatMap(([name, share]) => [name, percent(share!)])];
}

function slotText(format: TcFormat, slot: Values | undefined): string[] {
  if (slot === undefined) return [];
  const { minDelay = 0, maxDelay = minDelay, delay = 0, jitter = 0, packets, bytes } = slot as Record<string, number>;
  const words =
    slot.distribution === undefined
      ? ['slot', timeText(format, minDelay), timeText(format, maxDelay)]
      : ['slot', 'distribution', timeText(format, delay), timeText(format, jitter)];
  if (packets !== undefined) words.push('packets', String(packets));
  if (bytes !== undefined) words.push('bytes', String(bytes));
  return words;
}

/** A probability as tc gives it back: of 2^32 - 1, with six digits. */
function percent(probability: number): string {
  return `${shareText((100 * Math.round(probability * LARGEST_U32)) / LARGEST_U32)}%`;
}
