import type { EmbeddedPanel } from '../figure.ts';
import { formatNumber } from '../format.ts';
import { rowsOf } from './columns.ts';
import { announce, element, svgElement } from './dom.ts';
import { type Scale, scaleOf } from './scales.ts';
import { type Stretch, Zoom } from './zoom.ts';

/** A row of a panel as the page knows it. */
export type ViewRow = Readonly<Record<string, string | number | null>>;

interface Drawing {
  readonly svg: SVGSVGElement;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly x: Scale;
  readonly y: Scale;
  readonly zoom: Zoom;
  readonly overlay: SVGGElement;
}

const REACH = 60;

/** One panel with a cursor: by mouse, touch or keys it names the nearest value, zooms and lets a value be chosen. */
export class PanelView {
  readonly panel: EmbeddedPanel;
  readonly rows: readonly ViewRow[];
  readonly plot: HTMLElement;
  /** Called when the reader chooses a value. */
  onChoose: ((row: ViewRow) => void) | undefined;
  readonly #drawings: readonly Drawing[];
  readonly #tip: HTMLElement;
  readonly #hidden = new Set<string>();
  #share: Stretch = { from: 0, to: 1 };
  #current = -1;

  constructor(panel: EmbeddedPanel, plot: HTMLElement, title: string) {
    this.panel = panel;
    this.plot = plot;
    this.rows = rowsOf(panel.columns);
    this.#drawings = (['wide', 'narrow'] as const).map((kind) => this.#drawing(kind));
    this.#tip = element('div', { class: 'tip', 'aria-hidden': 'true' });
    this.#tip.hidden = true;
    plot.append(this.#tip);
    const zoomKeys = this.zoomable ? ' Plus and minus zoom, zero shows all.' : '';
    plot.tabIndex = 0;
    plot.setAttribute('role', 'application');
    plot.setAttribute('aria-roledescription', 'chart');
    plot.setAttribute('aria-label', `${title}. Arrow keys step through the values.${zoomKeys}`);
    plot.addEventListener('keydown', (event) => this.#onKey(event));
    plot.addEventListener('blur', () => this.#leave());
    plot.addEventListener('pointermove', (event) => this.#onMove(event));
    plot.addEventListener('pointerleave', () => this.#leave());
    plot.addEventListener('click', (event) => this.#onClick(event));
    if (this.zoomable) this.#brush();
  }

  /** Whether x can be zoomed: not where it has names instead of numbers. */
  get zoomable(): boolean {
    return this.panel.x.type !== 'band' && this.panel.y.type !== 'band';
  }

  /** The rows as downloads give them. */
  get fields(): EmbeddedPanel['fields'] {
    return this.panel.fields;
  }

  /** The drawing that the reader sees. */
  get visible(): Drawing {
    const seen = this.#drawings.find(({ svg }) => getComputedStyle(svg).display !== 'none');
    return seen ?? (this.#drawings[0] as Drawing);
  }

  /** Leaves a series out of the cursor's way. */
  setHidden(series: string, hidden: boolean): void {
    if (hidden) this.#hidden.add(series);
    else this.#hidden.delete(series);
    this.#leave();
  }

  /** Zooms by a factor around the cursor, or around the middle. */
  zoomBy(factor: number): void {
    const { from, to } = this.#share;
    const row = this.rows[this.#current];
    const drawing = this.visible;
    const middle = row === undefined ? (from + to) / 2 : drawing.x.place(row.x as number) / drawing.width;
    const span = Math.min(1, (to - from) / factor);
    const start = Math.min(Math.max(0, middle - span / 2), 1 - span);
    this.#zoomTo(start, start + span);
  }

  /** Shows everything again. */
  zoomOut(): void {
    this.#zoomTo(0, 1);
  }

  /** Marks a value that is not of the data, such as a result of "what if". */
  mark(x: number, y: number): void {
    for (const drawing of this.#drawings) {
      drawing.overlay.querySelector('.pick')?.remove();
      const at = this.#inStretch(drawing.x.place(x), drawing);
      if (at < 0 || at > drawing.width) continue;
      const size = 6;
      drawing.overlay.append(
        svgElement('path', {
          class: 'pick',
          d: `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z`,
          transform: `translate(${at},${drawing.y.place(y)})`,
        }),
      );
    }
  }

  #drawing(kind: 'wide' | 'narrow'): Drawing {
    const place = this.panel[kind];
    const svg = this.plot.querySelector<SVGSVGElement>(`svg.${kind}`) as SVGSVGElement;
    const width = place.width - place.left - place.right;
    const x = scaleOf(this.panel.x, 0, width);
    const y =
      this.panel.y.type === 'band' ? scaleOf(this.panel.y, 0, place.height) : scaleOf(this.panel.y, place.height, 0);
    const overlay = svgElement('g', { transform: `translate(${place.left},${place.top})` });
    svg.append(overlay);
    const zoom = new Zoom(svg, width, x, this.panel.x.type === 'log');
    return { svg, width, height: place.height, left: place.left, top: place.top, x, y, zoom, overlay };
  }

  #inStretch(x: number, { width }: Drawing): number {
    return ((x / width - this.#share.from) / (this.#share.to - this.#share.from)) * width;
  }

  #zoomTo(from: number, to: number): void {
    if (to - from < 1e-4) return;
    this.#share = { from, to };
    for (const drawing of this.#drawings) drawing.zoom.show({ from: from * drawing.width, to: to * drawing.width });
    this.plot.classList.toggle('zoomed', to - from < 1);
    this.#leave();
  }

  #pointAt(event: MouseEvent): { x: number; y: number; drawing: Drawing } {
    const drawing = this.visible;
    const box = drawing.svg.getBoundingClientRect();
    const scale =
      (drawing.width + drawing.left + this.panel[drawing.svg.classList.contains('wide') ? 'wide' : 'narrow'].right) /
      box.width;
    return {
      x: (event.clientX - box.left) * scale - drawing.left,
      y: (event.clientY - box.top) * scale - drawing.top,
      drawing,
    };
  }

  #isSeen(row: ViewRow): boolean {
    return !this.#hidden.has(String(row.series));
  }

  #nearest(x: number, y: number, drawing: Drawing): number {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    this.rows.forEach((row, i) => {
      if (!this.#isSeen(row)) return;
      const dx = this.#inStretch(drawing.x.place(row.x as number), drawing) - x;
      const dy = drawing.y.place(row.y as number) - y;
      const distance = dx * dx + 0.35 * dy * dy;
      if (distance < least) {
        least = distance;
        best = i;
      }
    });
    const reach = this.panel.y.type === 'band' ? 1e4 : REACH;
    return least <= reach * reach * 4 ? best : -1;
  }

  #onMove(event: PointerEvent): void {
    const { x, y, drawing } = this.#pointAt(event);
    if (x < -10 || x > drawing.width + 10 || y < -10 || y > drawing.height + 10) {
      this.#leave();
      return;
    }
    this.#show(this.#nearest(x, y, drawing));
  }

  #onClick(event: MouseEvent): void {
    const { x, y, drawing } = this.#pointAt(event);
    const row = this.rows[this.#nearest(x, y, drawing)];
    if (row !== undefined && x >= 0 && x <= drawing.width && y >= 0 && y <= drawing.height) this.onChoose?.(row);
  }

  #leave(): void {
    this.#current = -1;
    this.#tip.hidden = true;
    for (const { overlay } of this.#drawings) for (const old of overlay.querySelectorAll('.cursor,.halo')) old.remove();
  }

  #show(index: number): void {
    this.#leave();
    const row = this.rows[index];
    if (row === undefined) return;
    this.#current = index;
    const drawing = this.visible;
    const x = this.#inStretch(drawing.x.place(row.x as number), drawing);
    const y = drawing.y.place(row.y as number);
    if (x < -1 || x > drawing.width + 1) return;
    if (this.zoomable)
      drawing.overlay.append(svgElement('line', { class: 'cursor', x1: x, x2: x, y1: 0, y2: drawing.height }));
    const inside = Math.min(Math.max(y, 0), drawing.height);
    drawing.overlay.append(svgElement('circle', { class: 'halo', cx: x, cy: inside, r: 6 }));
    this.#tip.replaceChildren(...this.#lines(row));
    this.#tip.hidden = false;
    const box = drawing.svg.getBoundingClientRect();
    const frame = this.plot.getBoundingClientRect();
    const scale = box.width / drawing.svg.viewBox.baseVal.width;
    const left = box.left - frame.left + (drawing.left + x) * scale;
    const width = this.#tip.offsetWidth;
    const place = left + 14 + width > frame.width ? left - 14 - width : left + 14;
    this.#tip.style.left = `${Math.max(0, Math.min(place, frame.width - width))}px`;
    this.#tip.style.top = `${Math.max(0, (drawing.top + inside) * scale - this.#tip.offsetHeight / 2)}px`;
  }

  #texts(row: ViewRow): string[] {
    return this.panel.fields.flatMap((field) => {
      const value = row[field.name];
      if (value === null || value === undefined) return [];
      const text = typeof value === 'number' ? formatNumber(value, 6) : value;
      const unit = field.unit === '' ? '' : `\u00a0${field.unit}`;
      return [field.name === 'series' ? text : `${field.label}: ${text}${unit}`];
    });
  }

  #lines(row: ViewRow): HTMLElement[] {
    return this.#texts(row).map((text, i) => element('div', {}, i === 0 ? element('b', {}, text) : text));
  }

  #step(by: number): void {
    const rows = this.rows;
    if (this.#current < 0) {
      this.#show(rows.findIndex((row) => this.#isSeen(row) && this.#within(row)));
      return;
    }
    const series = rows[this.#current]?.series;
    for (let i = this.#current + by; i >= 0 && i < rows.length; i += by) {
      const row = rows[i] as ViewRow;
      if (row.series === series && this.#within(row)) {
        this.#show(i);
        return;
      }
    }
  }

  #within(row: ViewRow): boolean {
    if (!this.zoomable) return true;
    const drawing = this.visible;
    const x = this.#inStretch(drawing.x.place(row.x as number), drawing);
    return x >= -0.5 && x <= drawing.width + 0.5;
  }

  #jump(by: number): void {
    const row = this.rows[this.#current];
    if (row === undefined) {
      this.#step(1);
      return;
    }
    if (this.panel.x.type === 'band') {
      const names = this.panel.y.domain;
      const next = names[names.indexOf(row.y as string) + by];
      this.#show(this.rows.findIndex((r) => r.x === row.x && r.y === next));
      return;
    }
    const names = [...new Set(this.rows.filter((r) => this.#isSeen(r)).map((r) => r.series))];
    const next = names[(names.indexOf(row.series ?? null) + by + names.length) % names.length];
    const drawing = this.visible;
    const x = drawing.x.place(row.x as number);
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    this.rows.forEach((r, i) => {
      const distance = Math.abs(drawing.x.place(r.x as number) - x);
      if (r.series === next && distance < least) {
        least = distance;
        best = i;
      }
    });
    this.#show(best);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowRight: () => this.#step(1),
      ArrowLeft: () => this.#step(-1),
      ArrowDown: () => this.#jump(1),
      ArrowUp: () => this.#jump(-1),
      Home: () => this.#show(this.rows.findIndex((r) => this.#isSeen(r))),
      End: () => this.#show(this.rows.findLastIndex((r) => this.#isSeen(r))),
      Escape: () => this.#leave(),
      Enter: () => {
        const row = this.rows[this.#current];
        if (row !== undefined) this.onChoose?.(row);
      },
      ...(this.zoomable ? { '+': () => this.zoomBy(2), '-': () => this.zoomBy(0.5), '0': () => this.zoomOut() } : {}),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
    const row = this.rows[this.#current];
    if (row !== undefined) announce(this.#texts(row).join(', '));
  }

  /** Dragging with the mouse selects a stretch to zoom to; a double click shows all again. */
  #brush(): void {
    let start: number | undefined;
    let box: SVGRectElement | undefined;
    this.plot.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'mouse' || event.button !== 0) return;
      const { x, y, drawing } = this.#pointAt(event);
      if (x < 0 || x > drawing.width || y < 0 || y > drawing.height) return;
      event.preventDefault();
      this.plot.focus({ preventScroll: true });
      start = x;
      box = svgElement('rect', { y: 0, height: drawing.height, fill: 'var(--accent)', opacity: 0.15 });
      drawing.overlay.append(box);
    });
    this.plot.addEventListener('pointermove', (event) => {
      if (start === undefined || box === undefined) return;
      const { x } = this.#pointAt(event);
      box.setAttribute('x', String(Math.min(start, x)));
      box.setAttribute('width', String(Math.abs(x - start)));
    });
    document.addEventListener('pointerup', (event) => {
      if (start === undefined) return;
      const { x, drawing } = this.#pointAt(event);
      const [from, to] = [Math.max(0, Math.min(start, x)), Math.min(drawing.width, Math.max(start, x))];
      start = undefined;
      box?.remove();
      if (to - from < 8) return;
      const { from: low, to: high } = this.#share;
      const share = (place: number): number => low + (place / drawing.width) * (high - low);
      this.#zoomTo(share(from), share(to));
    });
    this.plot.addEventListener('dblclick', () => this.zoomOut());
  }
}
