import type { About } from './why.ts';

/** A Vega-Lite specification as plain data; `reports/vega.ts` compiles it. */
export type Spec = Readonly<Record<string, unknown>>;

/** A row of chart data. */
export type Row = Readonly<Record<string, string | number | null>>;

/** A column of chart data as people read it: in the tooltip, the CSV, the spoken text. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
}

/** How a coordinate becomes a place: what the page needs for tooltips and zoom. */
export interface ScaleInfo {
  readonly type: 'linear' | 'log' | 'symlog' | 'band';
  readonly domain: readonly (number | string)[];
}

/** Where a panel draws: outer width, and whether it is the narrow drawing for small screens. */
export interface Size {
  readonly width: number;
  readonly narrow: boolean;
}

/** The plot rectangle and its margins (px). */
export interface Layout {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly height: number;
}

export const WIDE: Size = { width: 760, narrow: false };
export const NARROW: Size = { width: 344, narrow: true };

/** One drawing of a chart. */
export interface Panel {
  /** Names the panel where a chart has several. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly fields: readonly Field[];
  readonly x: ScaleInfo;
  readonly y: ScaleInfo;
  layout(size: Size): Layout;
  /** Mark, layer, encoding: everything but size, data and configuration. */
  spec(size: Size): Spec;
}

/** A sign in the legend: colour and dash or shape together. */
export interface LegendEntry {
  readonly label: string;
  readonly colour: string;
  readonly sign: 'line' | 'point' | 'box';
  readonly dash: readonly number[];
  readonly shape: string;
  /** Outlined points are measurements. */
  readonly hollow?: boolean;
  /** Whether rows of this name can be switched off in the page. */
  readonly switchable: boolean;
}

/** A table: under a chart, or of its own. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly {
    readonly label: string;
    readonly unit?: string;
    readonly number: boolean;
    /** Texts of the column in the order in which a reader sorts them; absent: by number or letters. */
    readonly order?: readonly string[];
  }[];
  readonly rows: readonly (readonly (string | number | null)[])[];
  readonly note?: string;
}

/** A figure of the page. */
export interface Chart {
  /** Kind, as the file in `charts/` is called; a number is added where there are several. */
  readonly name: string;
  /** The finding, a sentence computed from the data. */
  readonly title: string;
  /** How far the worst of it strays (percent), where there may be several charts of the kind. */
  readonly strayPercent?: number;
  /** Why it is so, where the data themselves tell. */
  readonly reason?: string;
  /** What the title is about, to look for its reason. */
  readonly about?: About;
  /** What of a packet counts in the rates of the title. */
  readonly counted?: string;
  /** How to read the drawing. */
  readonly note: string;
  readonly legend: readonly LegendEntry[];
  readonly panels: readonly Panel[];
  /** `choose`: one panel is seen at a time; `stack`: all, one above the other. */
  readonly arrange: 'stack' | 'choose';
  /** Index of the panel seen first. */
  readonly first: number;
  readonly table: Table;
}

/** Completes a panel's specification for one size, with its rows in it. */
export function panelSpec(panel: Panel, size: Size, rows: readonly Row[] = panel.rows): Spec {
  const layout = panel.layout(size);
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: size.width - layout.left - layout.right,
    height: layout.height,
    padding: { left: layout.left, top: layout.top, right: layout.right, bottom: layout.bottom },
    autosize: { type: 'none' },
    data: { values: rows },
    ...panel.spec(size),
  };
}

/** Numbers for drawings and data: six significant digits are beyond what a screen or a measurement shows. */
export function rounded(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : 0;
}
