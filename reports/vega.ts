import { Error as LogErrors, type LoggerInterface, parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { type Panel, panelSpec, type Row, type Size, type Spec } from './chart.ts';
import { CHART_CONFIG, followTheme, PAPER } from './theme.ts';

/** Hands warnings to whoever asked for them; errors are thrown. Vega calls the functions without their object. */
function chartLogger(onWarning: (text: string) => void): LoggerInterface {
  function level(): number;
  function level(level: number): LoggerInterface;
  function level(set?: number): number | LoggerInterface {
    return set === undefined ? LogErrors : logger;
  }
  const logger: LoggerInterface = {
    level,
    error: (...messages: readonly unknown[]) => {
      throw new Error(`chart: ${messages.join(' ')}`);
    },
    warn: (...messages: readonly unknown[]) => {
      onWarning(messages.join(' '));
      return logger;
    },
    info: () => logger,
    debug: () => logger,
  } as LoggerInterface;
  return logger;
}

/**
 * Compiles a Vega-Lite specification and draws it as SVG.
 *
 * @param onWarning - is told what Vega-Lite and Vega warn of; a reader of the page has no use for it, a test has.
 * @throws Error when the specification cannot be drawn.
 */
export async function drawSpec(spec: Spec, onWarning: (text: string) => void = () => {}): Promise<string> {
  const logger = chartLogger(onWarning);
  const compiled = compile(spec as unknown as TopLevelSpec, { logger });
  const view = new View(parse(compiled.spec), { renderer: 'none', logger });
  try {
    return numberedAnew(await view.toSVG());
  } finally {
    view.finalize();
  }
}

/** Vega counts its ids on from drawing to drawing; here each drawing counts from nought, so that equal data give equal bytes. */
function numberedAnew(svg: string): string {
  const numbers = new Map<string, number>();
  const anew = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size;
    numbers.set(id, number);
    return number;
  };
  return svg.replace(/<[^>]*>/g, (tag) =>
    tag.replace(/(\bid="|url\(#)(clip|gradient_)(\d+)/g, (_, before: string, kind: string, digits: string) => {
      return `${before}${kind}${anew(kind + digits)}`;
    }),
  );
}

/** Many like cells, such as those of a heat map, become one path a colour: a tenth of the size. */
function mergeCells(svg: string): string {
  return svg.replace(/(?:<path d="[^"]*" fill="[^"]*"\/>){400,}/g, (run) => {
    const byFill = new Map<string, string>();
    for (const [, d, fill] of run.matchAll(/<path d="([^"]*)" fill="([^"]*)"\/>/g)) {
      byFill.set(fill as string, (byFill.get(fill as string) ?? '') + (d as string));
    }
    return [...byFill].map(([fill, d]) => `<path d="${d}" fill="${fill}"/>`).join('');
  });
}

const LONG_PATH = 4000;

/**
 * Rewrites a long path of straight segments: places on a grid of `grid` px, and of all that happens in one column
 * only its first, lowest, highest and last place. What is seen stays; a series of 2,000 steps shrinks to a quarter.
 */
export function compactPath(d: string, grid: number): string {
  if (d.length < LONG_PATH || /[^MLHVZz0-9.,e\s-]/.test(d)) return d;
  const snap = (value: number): number => Math.round(value / grid) * grid;
  return d.replace(/[ML][^MZz]*/g, (piece) => {
    const numbers = piece.match(/-?\d+(?:\.\d+)?(?:e-?\d+)?/g)?.map(Number) ?? [];
    if (/[HV]/.test(piece) || numbers.length % 2 === 1) return piece;
    const kept: [number, number][] = [];
    let column: number[] = [];
    let columnX = Number.NaN;
    const flush = (): void => {
      const first = column[0];
      const last = column.at(-1);
      if (first === undefined || last === undefined) return;
      const least = Math.min(...column);
      const most = Math.max(...column);
      const turn = column.indexOf(least) < column.indexOf(most) ? [least, most] : [most, least];
      let before = Number.NaN;
      for (const y of [first, ...turn, last]) {
        if (y !== before) kept.push([columnX, y]);
        before = y;
      }
    };
    for (let i = 0; i < numbers.length; i += 2) {
      const x = snap(numbers[i] as number);
      if (x !== columnX) {
        flush();
        column = [];
        columnX = x;
      }
      column.push(Math.round((numbers[i + 1] as number) * 10) / 10);
    }
    flush();
    let text = '';
    kept.forEach(([x, y], i) => {
      const [beforeX, beforeY] = kept[i - 1] ?? [Number.NaN, Number.NaN];
      const next = kept[i + 1];
      if (i === 0) text += `M${x},${y}`;
      else if (y === beforeY) text += next !== undefined && next[1] === y ? '' : `H${x}`;
      else text += x === beforeX ? `V${y}` : `L${x},${y}`;
    });
    return text;
  });
}

function compactPaths(svg: string, size: Size): string {
  return svg.replace(/\bd="([^"]*)"/g, (_, d: string) => `d="${compactPath(d, size.narrow ? 0.5 : 0.25)}"`);
}

/** Coordinates to a tenth of a pixel. */
function shortenNumbers(svg: string): string {
  return svg.replace(/\b(d|transform|x2|y2)="([^"]*)"/g, (_, attribute: string, value: string) => {
    const short = value.replace(/-?\d+\.\d{3,}(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 10) / 10));
    return `${attribute}="${short}"`;
  });
}

/** Attributes that say what is so without them. */
const IDLE_ATTRIBUTES =
  / (?:role="[^"]*"|aria-[a-z]+="[^"]*"|pointer-events="none"|stroke-miterlimit="10"|stroke-width="0"|opacity="1")/g;

/**
 * Draws a panel for the page: colours follow the theme, ids are its own.
 *
 * @param id - prefix of ids, unique in the page.
 * @returns the SVG element's content, without the element itself.
 */
export async function drawPanel(panel: Panel, size: Size, id: string): Promise<string> {
  const svg = await drawSpec({ ...panelSpec(panel, size), config: CHART_CONFIG });
  const inside = svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>'));
  const own = inside.replace(/<[^>]*>/g, (tag) =>
    tag
      .replace(/\bid="(clip|gradient)/g, `id="${id}-$1`)
      .replace(/url\(#(clip|gradient)/g, `url(#${id}-$1`)
      .replace(IDLE_ATTRIBUTES, '')
      .replace(/ style="[^"]*"/g, ''),
  );
  return shortenNumbers(compactPaths(followTheme(mergeCells(own)), size));
}

/** Draws a panel as a file of its own: fixed colours on paper, its finding as the title. */
export async function drawPanelFile(panel: Panel, size: Size, titleLines: readonly string[]): Promise<string> {
  const spec = panelSpec(panel, size);
  const padding = spec.padding as { left: number; top: number; right: number; bottom: number };
  return drawSpec({
    ...spec,
    padding: { ...padding, top: padding.top + 20 * titleLines.length + 14 },
    // From the edge of the file, not of the plot: a long title has the whole width.
    title: { text: [...titleLines], offset: 12, anchor: 'start', frame: 'group', dx: 4 - padding.left },
    config: { ...CHART_CONFIG, background: PAPER.light },
  });
}

/** The specification that a reader downloads: complete, with configuration; rows are given or left to be filled in. */
export function fileSpec(panel: Panel, size: Size, rows: readonly Row[]): Spec {
  return { ...panelSpec(panel, size, rows), config: { ...CHART_CONFIG, background: PAPER.light } };
}
