import type { Result } from '../sim/run/result.ts';
import { type Chart, WIDE } from './chart.ts';
import { chooseCharts } from './charts/choose.ts';
import { cleanText } from './html.ts';
import { chartSource } from './reading.ts';
import { drawPanelFile } from './vega.ts';

/** A drawing as a file. */
export interface SvgFile {
  /** Without its extension: `staircase`, `throughput-10ms`. */
  readonly name: string;
  readonly svg: string;
}

/** Breaks a sentence into lines of at most `length` characters, at most `most` of them. */
export function wrapText(text: string, length: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > length) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '') lines.push(line);
  const cut = lines.map((l) => (l.length > length + 10 ? `${l.slice(0, length)}…` : l));
  return cut.length <= most ? cut : [...cut.slice(0, most - 1), `${cut[most - 1]} …`];
}

async function drawChart(chart: Chart): Promise<SvgFile[]> {
  const title = wrapText(cleanText(chart.title), 88, 3);
  const files: SvgFile[] = [];
  for (const panel of chart.panels) {
    const part = chart.panels.length > 1 ? `-${panel.label.toLowerCase().replace(/[^a-z0-9]+/g, '')}` : '';
    files.push({ name: `${chart.name}${part}`, svg: await drawPanelFile(panel, WIDE, title) });
  }
  return files;
}

/** Draws every chart of a result as an SVG file of its own. */
export async function renderSvgs(result: Result): Promise<SvgFile[]> {
  const files: SvgFile[] = [];
  for (const chart of chooseCharts(chartSource([result]))) files.push(...(await drawChart(chart)));
  return files;
}
