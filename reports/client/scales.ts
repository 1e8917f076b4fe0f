import type { ScaleInfo } from '../chart.ts';

/** From values to px and back, along one axis of a drawing. */
export interface Scale {
  readonly place: (value: string | number) => number;
  readonly valueAt: (place: number) => number;
}

function turns(type: ScaleInfo['type']): readonly [(v: number) => number, (v: number) => number] {
  if (type === 'log') return [Math.log, Math.exp];
  if (type === 'symlog') {
    return [(v) => Math.sign(v) * Math.log1p(Math.abs(v)), (v) => Math.sign(v) * Math.expm1(Math.abs(v))];
  }
  return [(v) => v, (v) => v];
}

/** The scale of an axis that runs from px `from` to px `to`. */
export function scaleOf(info: ScaleInfo, from: number, to: number): Scale {
  if (info.type === 'band') {
    const index = new Map(info.domain.map((value, i) => [value, i]));
    const step = (to - from) / Math.max(1, info.domain.length);
    return { place: (value) => from + step * ((index.get(value) ?? 0) + 0.5), valueAt: () => 0 };
  }
  const [turn, back] = turns(info.type);
  const low = turn(Number(info.domain[0]));
  const high = turn(Number(info.domain[1]));
  return {
    place: (value) => from + ((turn(Number(value)) - low) / (high - low)) * (to - from),
    valueAt: (place) => back(low + ((place - from) / (to - from)) * (high - low)),
  };
}

/** Round numbers between `low` and `high`, about `count` of them. */
export function ticksBetween(low: number, high: number, count: number, logarithmic: boolean): number[] {
  if (logarithmic && high / low > 8) {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (const step of [1, 2, 5]) ticks.push(Number((step * 10 ** power).toPrecision(3)));
    }
    return ticks.filter((t) => t >= low && t <= high);
  }
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((s) => s * power >= rough * 0.999) as number);
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}
