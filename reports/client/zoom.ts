import { formatNumber } from '../format.ts';
import { svgElement } from './dom.ts';
import { type Scale, ticksBetween } from './scales.ts';

const TRANSLATE = /^translate\(([-\d.e]+),\s*([-\d.e]+)\)/;

/** What is seen of the x axis: a stretch of the drawing's own px. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

interface Moved {
  readonly element: SVGElement;
  readonly kind: 'path' | 'rule' | 'point';
  readonly x: number;
  readonly y: number;
  readonly original: string | null;
}

function marksOf(svg: SVGSVGElement): Moved[] {
  const moved: Moved[] = [];
  for (const group of svg.querySelectorAll<SVGGElement>('g.role-mark')) {
    if (group.closest('.role-axis') !== null || /\blabel_marks\b/.test(group.getAttribute('class') ?? '')) continue;
    const kind =
      group.classList.contains('mark-line') || group.classList.contains('mark-area')
        ? 'path'
        : group.classList.contains('mark-rule')
          ? 'rule'
          : 'point';
    for (const element of group.querySelectorAll<SVGElement>('path,line,text')) {
      const original = element.getAttribute('transform');
      const at = TRANSLATE.exec(original ?? '');
      moved.push({ element, kind, x: Number(at?.[1] ?? 0), y: Number(at?.[2] ?? 0), original });
      if (kind !== 'point') element.setAttribute('vector-effect', 'non-scaling-stroke');
    }
  }
  return moved;
}

function xAxesOf(svg: SVGSVGElement): { labels: SVGGElement; ticks: SVGGElement | null }[] {
  return [...svg.querySelectorAll<SVGGElement>('g.role-axis')].flatMap((axis) => {
    const place = TRANSLATE.exec(axis.querySelector('g')?.getAttribute('transform') ?? '');
    const labels = axis.querySelector<SVGGElement>('g.role-axis-label');
    if (place === null || Number(place[2]) < 2 || labels === null) return [];
    return [{ labels, ticks: axis.querySelector<SVGGElement>('g.role-axis-tick') }];
  });
}

/** Zoom of one drawing along x: marks are moved, the axis gets ticks of its own. */
export class Zoom {
  readonly #svg: SVGSVGElement;
  readonly #width: number;
  readonly #x: Scale;
  readonly #logarithmic: boolean;
  #marks: Moved[] | undefined;

  constructor(svg: SVGSVGElement, width: number, x: Scale, logarithmic: boolean) {
    this.#svg = svg;
    this.#width = width;
    this.#x = x;
    this.#logarithmic = logarithmic;
  }

  /** Shows a stretch of the drawing over its whole width. */
  show({ from, to }: Stretch): void {
    this.#marks ??= marksOf(this.#svg);
    const whole = from === 0 && to === this.#width;
    const factor = this.#width / (to - from);
    const shift = -from * factor;
    for (const { element, kind, x, y, original } of this.#marks) {
      if (whole) {
        if (original === null) element.removeAttribute('transform');
        else element.setAttribute('transform', original);
        element.style.visibility = '';
        continue;
      }
      const at = factor * x + shift;
      if (kind === 'path') element.setAttribute('transform', `matrix(${factor},0,0,1,${shift},0)`);
      else if (kind === 'rule') element.setAttribute('transform', `translate(${at},${y}) scale(${factor},1)`);
      else {
        element.setAttribute('transform', `translate(${at},${y})`);
        element.style.visibility = at < -1 || at > this.#width + 1 ? 'hidden' : '';
      }
    }
    for (const axis of xAxesOf(this.#svg)) this.#drawAxis(axis, { from, to }, whole);
  }

  #drawAxis(axis: { labels: SVGGElement; ticks: SVGGElement | null }, { from, to }: Stretch, whole: boolean): void {
    const parent = axis.labels.parentElement;
    parent?.querySelector('g.zoom-axis')?.remove();
    axis.labels.style.display = whole ? '' : 'none';
    if (axis.ticks !== null) axis.ticks.style.display = whole ? '' : 'none';
    const label = axis.labels.querySelector('text');
    if (whole || label === null || parent === null) return;
    const line = axis.ticks?.querySelector('line') ?? null;
    const own = svgElement('g', { class: 'zoom-axis' });
    const low = this.#x.valueAt(from);
    const high = this.#x.valueAt(to);
    const y = TRANSLATE.exec(label.getAttribute('transform') ?? '')?.[2] ?? '16';
    for (const tick of ticksBetween(low, high, Math.max(2, Math.round(this.#width / 90)), this.#logarithmic)) {
      const at = ((this.#x.place(tick) - from) / (to - from)) * this.#width;
      const text = label.cloneNode() as SVGTextElement;
      text.setAttribute('transform', `translate(${at},${y})`);
      text.setAttribute('text-anchor', 'middle');
      text.textContent = formatNumber(tick, 7);
      own.append(text);
      if (line !== null) {
        const mark = line.cloneNode() as SVGLineElement;
        mark.setAttribute('transform', `translate(${at},0)`);
        own.append(mark);
      }
    }
    parent.append(own);
  }
}
