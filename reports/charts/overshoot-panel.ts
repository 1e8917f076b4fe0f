import type { Layout, Panel, Row, Size } from '../chart.ts';
import { INK, MUTED, SERIES, SHAPES } from '../theme.ts';
import { domainOf, narrowLabelsPx } from './xy.ts';

/** Colour and shape of the points of a series. */
export function pointStyle(index: number): { colour: string; shape: string } {
  return {
    colour: (SERIES[index % SERIES.length] as (typeof SERIES)[number]).light,
    // A colour that comes again has another shape.
    shape: SHAPES[(index + Math.floor(index / SERIES.length)) % SHAPES.length] as string,
  };
}

/** Draws deviations as points on stems from zero: a band for each category, in it a row for each series. */
export function overshootPanel(
  rows: readonly Row[],
  categories: readonly string[],
  names: readonly string[],
  decades: boolean,
): Panel {
  const values = rows.map((r) => r.x as number);
  const linear = domainOf([0, ...values], false);
  const domain: [number, number] = decades
    ? [Math.min(-1, 1.3 * Math.min(...values)), Math.max(10, 1.6 * Math.max(...values))]
    : linear;
  const measured = rows.some((r) => r.role === 'measured');
  const layout = (size: Size): Layout => {
    const height = categories.length * Math.max(26, 9 * names.length + 10);
    return size.narrow
      ? { left: narrowLabelsPx(categories), top: 10, right: 16, bottom: 46, height }
      : { left: 168, top: 10, right: 24, bottom: 46, height };
  };
  return {
    label: 'Deviation',
    rows,
    fields: [
      { name: 'series', label: 'Series', unit: '' },
      { name: 'y', label: 'Transfer', unit: '' },
      { name: 'x', label: 'Deviation', unit: '%' },
    ],
    x: { type: decades ? 'symlog' : 'linear', domain },
    y: { type: 'band', domain: [...categories] },
    layout,
    spec: (size) => {
      const ticks = (
        size.narrow ? [-100, -10, 0, 10, 100, 1000, 10_000, 100_000] : [-10, -1, 0, 1, 10, 100, 1000, 10_000, 100_000]
      ).filter((t) => t >= domain[0] && t <= domain[1]);
      const x = {
        field: 'x',
        type: 'quantitative',
        scale: { type: decades ? 'symlog' : 'linear', domain, nice: false, zero: false },
        axis: {
          title: 'Deviation from the limit (%)',
          grid: true,
          labelOverlap: true,
          ...(decades ? { values: ticks } : { tickCount: size.narrow ? 4 : 8 }),
        },
      };
      const y = {
        field: 'y',
        type: 'nominal',
        sort: null,
        scale: { domain: [...categories], paddingInner: 0.3, paddingOuter: 0.15 },
        axis: {
          title: null,
          labelColor: INK.light,
          labelLimit: 0,
          labelFontSize: size.narrow ? 11 : 12,
        },
      };
      const offset = { field: 'series', type: 'nominal', sort: null, scale: { domain: [...names] } };
      const styles = {
        color: {
          field: 'series',
          type: 'nominal',
          scale: {
            domain: [...names],
            range: names.map((_, i) => pointStyle(i).colour),
          },
          legend: null,
        },
        shape: {
          field: 'series',
          type: 'nominal',
          scale: { domain: [...names], range: names.map((_, i) => pointStyle(i).shape) },
          legend: null,
        },
      };
      const simulated = [{ filter: { field: 'role', equal: 'simulated' } }];
      return {
        layer: [
          {
            name: 'guide',
            data: { values: [{ x: 0 }] },
            mark: { type: 'rule', color: MUTED.light, strokeWidth: 1.5, strokeDash: [4, 3] },
            encoding: { x },
          },
          ...(measured
            ? [
                {
                  name: 'measured',
                  transform: [{ filter: { field: 'role', equal: 'measured' } }],
                  mark: {
                    type: 'tick',
                    orient: 'vertical',
                    color: INK.light,
                    thickness: 1.5,
                    size: 18,
                    opacity: 0.75,
                    clip: true,
                  },
                  encoding: { x, y },
                },
              ]
            : []),
          {
            name: 'stem',
            transform: simulated,
            mark: { type: 'rule', strokeWidth: 1.5, opacity: 0.55 },
            encoding: { x: { ...x, field: 'x' }, x2: { datum: 0 }, y, yOffset: offset, color: styles.color },
          },
          {
            name: 'point',
            transform: simulated,
            mark: { type: 'point', filled: true, size: 70, opacity: 1 },
            encoding: { x, y, yOffset: offset, ...styles },
          },
        ],
        resolve: { scale: { color: 'independent', shape: 'independent' } },
      };
    },
  };
}
