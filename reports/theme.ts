/** A colour of the page by name, for paper and for the dark. */
export interface Colour {
  readonly name: string;
  readonly light: string;
  readonly dark: string;
}

function colour(name: string, light: string, dark: string): Colour {
  return { name, light, dark };
}

export const PAPER = colour('paper', '#ffffff', '#15181c');
export const SURFACE = colour('surface', '#f6f7f9', '#1d2126');
export const INK = colour('ink', '#1b2026', '#e7eaed');
export const MUTED = colour('muted', '#56606b', '#a9b3be');
export const AXIS = colour('axis', '#87919c', '#717c88');
export const GRID = colour('grid', '#e4e7eb', '#2c333a');
export const ACCENT = colour('accent', '#0062a3', '#66b7f1');
export const PASSED = colour('passed', '#1b7a43', '#54c88f');
export const FAILED = colour('failed', '#b3261e', '#ff9086');

/** Series colours in order of use: told apart by eyes without red or green cones, and dark enough for their own labels. */
export const SERIES: readonly Colour[] = [
  colour('series-1', '#0067b1', '#5eb5f5'),
  colour('series-2', '#c04a00', '#ff9d5c'),
  colour('series-3', '#00735c', '#3fd0a8'),
  colour('series-4', '#9a3d84', '#eda0d6'),
  colour('series-5', '#6f5f00', '#dcc74e'),
  colour('series-6', '#4c5763', '#c2ccd6'),
];

/** Dash patterns that go with the colours, so that a line is known without them. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 2], [9, 3, 2, 3], [4, 2], [1, 3]];

/** Shapes of points in the same order. */
export const SHAPES: readonly string[] = ['circle', 'square', 'triangle-up', 'diamond', 'triangle-down', 'cross'];

/** Steps of an error from far below to far above, the middle one for "as configured". */
export const ERROR_STEPS: readonly Colour[] = [
  colour('error-1', '#0a4a86', '#9ad0ff'),
  colour('error-2', '#4a8cc7', '#3f8ccb'),
  colour('error-3', '#b5d2eb', '#1f4a70'),
  colour('error-4', '#eef0f3', '#2a3138'),
  colour('error-5', '#f8d0aa', '#66411f'),
  colour('error-6', '#df8a3f', '#c4752a'),
  colour('error-7', '#9c4200', '#ffb877'),
];

/** Ink on the three middle and the outer steps. */
export const ERROR_INK: readonly Colour[] = [
  colour('error-ink-1', '#fffffe', '#0d1114'),
  colour('error-ink-2', '#0b0d10', '#0d1115'),
  colour('error-ink-3', '#1b2027', '#e7eaee'),
  colour('error-ink-4', '#1b2028', '#e7eaef'),
  colour('error-ink-5', '#1b2029', '#e7eaec'),
  colour('error-ink-6', '#0b0d11', '#0d1116'),
  colour('error-ink-7', '#fffffd', '#0d1117'),
];

const COLOURS: readonly Colour[] = [
  PAPER,
  SURFACE,
  INK,
  MUTED,
  AXIS,
  GRID,
  ACCENT,
  PASSED,
  FAILED,
  ...SERIES,
  ...ERROR_STEPS,
  ...ERROR_INK,
];

/** The colours as custom properties of CSS, for one of the two. */
export function colourProperties(theme: 'light' | 'dark'): string {
  return COLOURS.map((c) => `--${c.name}:${c[theme]}`).join(';');
}

const nameByLight = new Map(COLOURS.map((c) => [c.light, c.name]));

/** Turns the light colours that a drawing was made with into the page's custom properties, so that it follows the theme. */
export function followTheme(svg: string): string {
  return svg.replace(/<[^>]*>/g, (tag) =>
    tag.replace(/\b(fill|stroke)="(#[0-9a-f]{6})"/g, (attribute, property: string, hex: string) => {
      const name = nameByLight.get(hex);
      return name === undefined ? attribute : `${property}="var(--${name})"`;
    }),
  );
}

/** Fonts of the reader's system; nothing is fetched. */
export const FONT =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif';

/** What all charts share, as a Vega-Lite configuration. */
export const CHART_CONFIG = {
  aria: false,
  background: null,
  font: '-apple-system, BlinkMacSystemFont, Segoe UI, Roboto, Helvetica Neue, Liberation Sans, Arial, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: MUTED.light,
    labelFontSize: 12,
    titleColor: INK.light,
    titleFontSize: 12,
    titleFontWeight: 600,
    tickColor: AXIS.light,
    domainColor: AXIS.light,
    gridColor: GRID.light,
    labelPadding: 6,
    labelLimit: 200,
    titleLimit: 600,
  },
  axisX: { grid: false, tickSize: 4, titlePadding: 10 },
  axisY: {
    domain: false,
    ticks: false,
    titleAnchor: 'end',
    titleAngle: 0,
    titleAlign: 'left',
    titleBaseline: 'bottom',
  },
  title: {
    color: INK.light,
    fontSize: 15,
    fontWeight: 600,
    anchor: 'start',
    frame: 'bounds',
    offset: 14,
    lineHeight: 20,
  },
  text: { color: INK.light, fontSize: 12 },
  line: { strokeWidth: 2, strokeJoin: 'round' },
} as const;
