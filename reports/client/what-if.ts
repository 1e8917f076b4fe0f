import type { PointResult } from '../../sim/run/result.ts';
import { formatDifference, formatNumber, formatQuantity } from '../format.ts';
import { cleanText } from '../html.ts';
import { rateOfText, sizeOfText } from '../quantity.ts';
import type { Knob, WhatIfData } from '../what-if-data.ts';
import { button, element } from './dom.ts';
import { EngineWorker } from './engine-worker.ts';

/** What a new result says for the staircase: configured and received rate (bit/s). */
export type OnResult = (configuredBitsPerSecond: number, receivedBitsPerSecond: number) => void;

function withValue(document: unknown, path: readonly string[], value: string): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  const mapping = typeof document === 'object' && document !== null ? (document as Record<string, unknown>) : {};
  return { ...mapping, [head]: withValue(mapping[head], rest, value) };
}

/** Bounds and step of a slider around a value; undefined for values that are no number. */
function sliderOf(
  knob: Knob,
): { min: number; max: number; step: number; value: number; write: (n: number) => string } | undefined {
  if (knob.kind === 'rate') {
    const rate = rateOfText(knob.value);
    if (rate === undefined || rate <= 0) return undefined;
    const factor = rate >= 1e6 ? 1e6 : 1e3;
    const unit = factor === 1e6 ? 'mbit' : 'kbit';
    const value = rate / factor;
    return {
      min: Math.max(1, Math.round(value / 2)),
      max: Math.max(2, Math.round(2 * value)),
      step: 1,
      value,
      write: (n) => `${n}${unit}`,
    };
  }
  if (knob.kind === 'size') {
    const size = sizeOfText(knob.value);
    if (size === undefined || size <= 0) return undefined;
    const step = size > 20_000 ? Math.max(1, Math.round(size / 100)) : 1;
    const bare = /^\d+$/.test(knob.value);
    return {
      min: Math.max(1, Math.round(size / 4)),
      max: 3 * size,
      step,
      value: size,
      write: (n) => (bare ? String(n) : `${n}b`),
    };
  }
  return undefined;
}

function knobRow(knob: Knob, index: number, onRelease: () => void): { row: HTMLElement; input: HTMLInputElement } {
  const id = `knob-${index}`;
  const label = cleanText(knob.label);
  const input = element('input', { type: 'text', id, autocomplete: 'off', spellcheck: 'false' });
  input.value = knob.value;
  if (knob.value === '') input.placeholder = 'as tc chooses';
  const row = element('div', {}, element('label', { for: id }, label), input);
  if (knob.suggestions.length > 0) {
    const list = element(
      'datalist',
      { id: `${id}-list` },
      ...knob.suggestions.map((value) => element('option', { value })),
    );
    input.setAttribute('list', list.id);
    row.append(list);
  }
  const slider = sliderOf(knob);
  if (slider !== undefined) {
    const range = element('input', {
      type: 'range',
      min: String(slider.min),
      max: String(slider.max),
      step: String(slider.step),
      'aria-label': `${label}, slider`,
    });
    range.value = String(slider.value);
    range.addEventListener('input', () => {
      input.value = slider.write(Number(range.value));
    });
    range.addEventListener('change', onRelease);
    row.append(range);
  }
  return { row, input };
}

interface Figure {
  readonly name: string;
  readonly read: (flow: PointResult['flows'][string], level: string) => number | undefined;
  readonly write: (value: number, flow: PointResult['flows'][string]) => string;
}

function isUnfinished({ transfer }: PointResult['flows'][string]): boolean {
  return transfer?.completed === false;
}

const FIGURES: readonly Figure[] = [
  {
    name: 'received',
    read: (f, level) =>
      level === 'transfer' ? f.transfer?.bitsPerSecond : f.bitsPerSecond[level as keyof typeof f.bitsPerSecond],
    write: (v) => formatQuantity(v, 'rate'),
  },
  {
    name: 'transfer time',
    read: (f) => f.transfer?.seconds,
    write: (v, f) =>
      isUnfinished(f) ? `not completed after ${formatQuantity(v, 'time', 4)}` : formatQuantity(v, 'time', 4),
  },
  {
    name: 'packets a second',
    read: (f) => (f.transfer === undefined ? f.packetsPerSecond : undefined),
    write: (v) => formatNumber(v, 6),
  },
  { name: 'dropped', read: (f) => f.droppedPackets, write: (v) => formatNumber(v, 15) },
  {
    name: 'delay p50',
    read: (f) => (f.transfer === undefined ? f.delaySeconds.p50 : undefined),
    write: (v) => formatQuantity(v, 'time', 4),
  },
  {
    name: 'delay p99',
    read: (f) => (f.transfer === undefined ? f.delaySeconds.p99 : undefined),
    write: (v) => formatQuantity(v, 'time', 4),
  },
];

function resultTable(data: WhatIfData, point: Pick<PointResult, 'flows'>): HTMLTableElement {
  const head = element(
    'tr',
    {},
    ...['Figure', 'Reported', 'Now', 'Difference'].map((t, i) =>
      element('th', { scope: 'col', ...(i > 0 ? { class: 'n' } : {}) }, t),
    ),
  );
  const body = element('tbody');
  for (const [name, before] of Object.entries(data.reported.flows)) {
    const after = point.flows[name];
    if (after === undefined) continue;
    const level = data.levels[name] ?? 'accounted';
    for (const figure of FIGURES) {
      const old = figure.read(before, level);
      const now = figure.read(after, level);
      if (old === undefined || now === undefined) continue;
      // What a transfer would still have taken is not known.
      const open = figure.name === 'transfer time' && (isUnfinished(before) || isUnfinished(after));
      const difference = open
        ? '–'
        : old === 0
          ? now === 0
            ? 'the same'
            : 'from zero'
          : formatDifference(100 * (now / old - 1));
      body.append(
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, element('bdi', {}, cleanText(name)), ` ${figure.name}`),
          element('td', { class: 'n' }, figure.write(old, before)),
          element('td', { class: 'n' }, figure.write(now, after)),
          element('td', { class: 'n' }, difference),
        ),
      );
    }
  }
  return element(
    'table',
    {},
    element('caption', {}, 'The run as reported and with your values'),
    element('thead', {}, head),
    body,
  );
}

function sentence(data: WhatIfData, point: PointResult): { text: string; received: number } {
  const [name, before] = Object.entries(data.reported.flows)[0] ?? [];
  const after = name === undefined ? undefined : point.flows[name];
  const received = FIGURES[0] as Figure;
  if (name === undefined || before === undefined || after === undefined) return { text: 'Done.', received: 0 };
  const level = data.levels[name] ?? 'accounted';
  const old = received.read(before, level) ?? 0;
  const now = received.read(after, level) ?? 0;
  const difference = old === 0 ? '' : `, ${formatDifference(100 * (now / old - 1))}`;
  return {
    text: `${cleanText(name)} gets ${formatQuantity(now, 'rate')} instead of ${formatQuantity(old, 'rate')}${difference}${
      isUnfinished(after) ? '; its transfer is not completed within the run' : ''
    }.`,
    received: now,
  };
}

/** Sets up the form that runs the scenario again with other values, in a worker that can be stopped. */
export function setUpWhatIf(place: HTMLElement, data: WhatIfData, engine: string, onResult: OnResult): void {
  const worker = new EngineWorker(engine);
  const status = element('p', { class: 'status', role: 'status' });
  const output = element('div');
  const form = element('form', { 'aria-label': 'Values of the scenario' });
  const stop = button('Stop', () => worker.stop());
  stop.disabled = true;

  const knobs = data.knobs.map((knob, i) => ({ knob, ...knobRow(knob, i, () => form.requestSubmit()) }));
  const changed = (): unknown =>
    knobs.reduce<unknown>((document, { knob, input }) => {
      const value = input.value.trim();
      return value === knob.value ? document : withValue(document, knob.path, value);
    }, data.document);
  const say = (text: string, failed = false): void => {
    status.textContent = text;
    status.classList.toggle('failed', failed);
  };
  const run = async (): Promise<void> => {
    stop.disabled = false;
    say('Running …');
    const answer = await worker.run(changed());
    if (answer.kind === 'replaced') return;
    stop.disabled = true;
    if (answer.kind === 'problem') {
      say(answer.text, true);
      // A table of other values beside it would seem to be theirs.
      output.replaceChildren();
      return;
    }
    const { text, received } = sentence(data, answer.point);
    say(text);
    output.replaceChildren(
      element(
        'div',
        { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Result' },
        resultTable(data, answer.point),
      ),
    );
    const rate =
      knobs.find(({ knob }) => knob.kind === 'rate' && (knob.path[0] === 'vars' || knob.path.includes('classes'))) ??
      knobs.find(({ knob }) => knob.kind === 'rate');
    const configured = rate === undefined ? undefined : rateOfText(rate.input.value);
    if (configured !== undefined) onResult(configured, received);
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void run();
  });
  const reset = button('Values as reported', () => {
    for (const { knob, input, row } of knobs) {
      input.value = knob.value;
      const range = row.querySelector<HTMLInputElement>('input[type=range]');
      const slider = sliderOf(knob);
      if (range !== null && slider !== undefined) range.value = String(slider.value);
    }
    say('');
    output.replaceChildren();
  });
  form.append(
    ...knobs.map(({ row }) => row),
    element('div', { class: 'tools' }, element('button', { type: 'submit' }, 'Run'), stop, reset),
  );
  place.append(form, status, output);
}
