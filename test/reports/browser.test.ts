import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Explanation } from '../../reports/explanation.ts';
import { type PageInput, renderPage } from '../../reports/page.ts';
import { drawSpec } from '../../reports/vega.ts';
import { runPoint } from '../../sim/run/page-engine.ts';
import type { Result } from '../../sim/run/result.ts';
import { clientScript, engineScript } from './bundles.ts';
import { hasChromium, type Opened, PageBrowser } from './chromium.ts';
import { HOSTILE_TEXTS } from './hostile-texts.ts';
import {
  curlResult,
  flow,
  HTB_DOCUMENT,
  hop,
  htbClass,
  htbPoint,
  resultOf,
  series,
  singleResult,
  staircaseResult,
  sweepResult,
} from './sample-results.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const SAMPLES: Readonly<Record<string, () => readonly Result[]>> = {
  'a staircase': () => [staircaseResult()],
  'one run': () => [singleResult()],
  downloads: () => [curlResult()],
  'a grid': () => [sweepResult(9, 9)],
  'two results': () => [singleResult(), resultOf('B', HTB_DOCUMENT, [htbPoint({ rate: '606mbit' })])],
};

interface Extras {
  readonly findings?: PageInput['findings'];
  readonly differences?: NonNullable<PageInput['differences']>;
  readonly explanations?: readonly Explanation[];
  readonly whatIf?: string;
  readonly command?: string;
}

async function pageOf(results: readonly Result[], extras: Extras = {}): Promise<string> {
  return renderPage({
    results,
    explanations: extras.explanations ?? [],
    differences: extras.differences ?? [],
    findings: extras.findings ?? [],
    command: extras.command ?? 'sim run scenarios/htb-800B.yaml --html out.html',
    clientScript: await clientScript(),
    ...(extras.whatIf === undefined ? {} : { whatIf: extras.whatIf }),
  });
}

/** Text of the first element, with plain spaces. */
async function textOf(page: Page, selector: string): Promise<string> {
  // The text as it is laid out: what is folded away does not count.
  // biome-ignore lint/performance/useDomNodeTextContent: see above
  return (await page.locator(selector).first().innerText()).replaceAll('\u00a0', ' ');
}

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

/** Broken rules of access: all of them, or those on colours. */
async function violations(page: Page, colours: boolean): Promise<string[]> {
  await page.addScriptTag({ content: axe });
  return page.evaluate(async (only) => {
    const options = { resultTypes: ['violations'], ...(only ? { runOnly: ['cat.color'] } : {}) };
    const found = await (window as unknown as { axe: Axe }).axe.run(options);
    return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`);
  }, colours);
}

const pages = new Map<string, Promise<string>>();

/** The page of a sample, with what-if; made once. */
function samplePage(name: string): Promise<string> {
  const made =
    pages.get(name) ??
    engineScript().then((whatIf) => pageOf((SAMPLES[name] as () => readonly Result[])(), { whatIf }));
  pages.set(name, made);
  return made;
}

describe.skipIf(!hasChromium)('a page in a browser', () => {
  let browser: PageBrowser;
  beforeAll(async () => {
    browser = await PageBrowser.launch();
  }, 60_000);
  afterAll(() => browser.close());

  async function opened<T>(html: string, look: (at: Opened) => Promise<T>, options = {}): Promise<T> {
    const at = await browser.open(html, options);
    try {
      return await look(at);
    } finally {
      await at.close();
    }
  }

  for (const name of Object.keys(SAMPLES)) {
    it(`of ${name} breaks no rule of access, in light and in dark`, async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await opened(
          await samplePage(name),
          async ({ page }) => {
            await page.evaluate(() => {
              for (const details of document.querySelectorAll('details')) details.open = true;
            });
            expect(await violations(page, colorScheme === 'dark')).toEqual([]);
          },
          // The tool comes in as a script that the page's policy would refuse.
          { colorScheme, bypassCSP: true },
        );
      }
    });

    it(`of ${name} is silent, asks for nothing, fits 360 and 1600 px, and the letters of its drawings stay legible`, async () => {
      for (const width of [360, 1600]) {
        await opened(
          await samplePage(name),
          async ({ page, messages, requests }) => {
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
            const sizes = await page.evaluate(() =>
              [...document.querySelectorAll<SVGTextElement>('.plot svg text')]
                .filter((text) => text.getClientRects().length > 0 && text.textContent !== '')
                .map(
                  (text) =>
                    (text.ownerSVGElement?.getScreenCTM()?.a ?? 0) * Number.parseFloat(getComputedStyle(text).fontSize),
                ),
            );
            expect(Math.min(...sizes)).toBeGreaterThan(9.5);
            expect(messages).toEqual([]);
            expect(requests).toEqual([]);
          },
          { viewport: { width, height: 900 } },
        );
      }
    });
  }

  it('shows everything without its script: order, drawings, open tables', async () => {
    await opened(
      await samplePage('a staircase'),
      async ({ page }) => {
        const heads = await page.locator('h2:visible').allInnerTexts();
        expect(heads).toEqual([
          'Verdict',
          'What was simulated',
          'Charts',
          'Tables',
          'The arithmetic',
          'The scenario, resolved',
          'How to get this page again',
        ]);
        expect(await page.locator('figure .plot svg:visible').count()).toBe(7);
        expect(await page.locator('table:visible').count()).toBe(await page.locator('table').count());
        await page.locator('#chart-throughput label', { hasText: '1 s' }).click();
        expect(await page.locator('#chart-throughput .panel-0').isVisible()).toBe(true);
        expect(await page.locator('#chart-throughput .panel-2').isVisible()).toBe(false);
      },
      { javaScriptEnabled: false },
    );
  });

  it('prints with every table open, on light paper, even where its tables are folded and the theme is dark', async () => {
    await opened(
      await samplePage('a staircase'),
      async ({ page }) => {
        expect(await page.locator('details.data[open]').count()).toBe(0);
        const pdf = await page.pdf({ format: 'A4' });
        expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
        await page.emulateMedia({ media: 'print' });
        const hidden = await page.evaluate(
          () => [...document.querySelectorAll('table')].filter((t) => !t.checkVisibility()).length,
        );
        expect(hidden).toBe(0);
        expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
        expect(await page.locator('figure svg.wide:visible').count()).toBe(7);
      },
      { colorScheme: 'dark', viewport: { width: 400, height: 800 } },
    );
  });

  it('draws the staircase: two lines, 28 runs, 14 measurements, the ideal line, both axes, the finding', async () => {
    await opened(await samplePage('a staircase'), async ({ page }) => {
      const plot = '#chart-staircase svg.wide';
      expect(await page.locator(`${plot} .line_marks path`).count()).toBe(2);
      expect(await page.locator(`${plot} .marker_marks path`).count()).toBe(28);
      expect(await page.locator(`${plot} .measured_marks path`).count()).toBe(14);
      expect(await page.locator(`${plot} .guide_marks line`).count()).toBe(1);
      const texts = await page.locator(`${plot} text`).allTextContents();
      expect(texts).toEqual(
        expect.arrayContaining(['Configured (Mbit/s)', 'Received (Mbit/s)', 'kernel 2.6.25', 'as configured', '600']),
      );
      expect(await textOf(page, '#chart-staircase h3')).toBe(
        'At 606 Mbit/s, kernel 2.6.25 sends 729.2 Mbit/s, 20.3 % more',
      );
      const line = page.locator(`${plot} .line_marks path`).first();
      const [a, b] = await Promise.all([
        line.evaluate((path) => getComputedStyle(path).stroke),
        page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--series-1')),
      ]);
      // #0067b1
      expect([a, b]).toEqual(['rgb(0, 103, 177)', '#0067b1']);
      const box = (await line.boundingBox())!;
      const frame = (await page.locator(plot).boundingBox())!;
      expect(box.width).toBeGreaterThan(frame.width / 2);
      expect(box.height).toBeGreaterThan(frame.height / 3);
    });
  });

  it('reads its values out by keys, and by the mouse', async () => {
    await opened(await samplePage('a staircase'), async ({ page }) => {
      const plot = page.locator('#chart-staircase .plot');
      await plot.focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      expect((await textOf(page, '#chart-staircase .tip')).replace(/\n/g, ', ')).toBe(
        'kernel 2.6.25, Configured: 500 Mbit/s, Received: 546.88 Mbit/s'.replace('546.88', '546.875'),
      );
      expect(await page.locator('[role=status].visually-hidden').textContent()).toContain('Configured: 500');
      await page.keyboard.press('ArrowDown');
      expect(await textOf(page, '#chart-staircase .tip')).toContain('kernel 6.12');
      await page.keyboard.press('Escape');
      expect(await page.locator('#chart-staircase .tip').isVisible()).toBe(false);
      const mark = (await page.locator('#chart-staircase svg.wide .marker_marks path').nth(12).boundingBox())!;
      await page.mouse.move(mark.x + 3, mark.y + 3);
      expect(await textOf(page, '#chart-staircase .tip')).toContain('Configured: 606 Mbit/s');
    });
  });

  it('zooms by keys and by dragging, gives the axis new ticks, and shows all again', async () => {
    await opened(await samplePage('one run'), async ({ page, messages }) => {
      const axis = '#chart-backlog svg.wide';
      const ticks = (): Promise<string[]> => page.locator(`${axis} .zoom-axis text`).allTextContents();
      await page.locator('#chart-backlog .plot').focus();
      await page.keyboard.press('+');
      await page.keyboard.press('+');
      const zoomed = (await ticks()).map(Number);
      expect(zoomed.length).toBeGreaterThan(2);
      // A quarter of the second around its middle.
      expect(Math.min(...zoomed)).toBeGreaterThanOrEqual(0.375);
      expect(Math.max(...zoomed)).toBeLessThanOrEqual(0.625);
      await page.keyboard.press('0');
      expect(await ticks()).toEqual([]);
      await page.locator(axis).scrollIntoViewIfNeeded();
      const box = (await page.locator(axis).boundingBox())!;
      await page.mouse.move(box.x + 150, box.y + 100);
      await page.mouse.down();
      await page.mouse.move(box.x + 250, box.y + 100, { steps: 4 });
      await page.mouse.up();
      expect((await ticks()).length).toBeGreaterThan(1);
      expect(messages).toEqual([]);
    });
  });

  it('switches series off and on', async () => {
    await opened(await samplePage('a staircase'), async ({ page }) => {
      const lines = page.locator('#chart-staircase svg.wide .line_marks path');
      const toggle = page.locator('#chart-staircase .legend button', { hasText: 'kernel 6.12' });
      await toggle.press('Enter');
      expect(await toggle.getAttribute('aria-pressed')).toBe('false');
      expect([await lines.nth(0).isVisible(), await lines.nth(1).isVisible()]).toEqual([true, false]);
      await toggle.press('Enter');
      expect(await lines.nth(1).isVisible()).toBe(true);
      await page.locator('#chart-staircase .legend button', { hasText: 'measured' }).click();
      expect(await page.locator('#chart-staircase svg.wide .measured_marks path:visible').count()).toBe(0);
    });
  });

  it('sorts tables by their headings', async () => {
    await opened(await samplePage('a staircase'), async ({ page }) => {
      const head = page.locator('#all-runs th', { hasText: 'Received' });
      const column = (): Promise<string[]> => page.locator('#all-runs tbody td:nth-child(5)').allTextContents();
      await head.locator('button').click();
      const up = (await column()).map(Number);
      expect(up).toEqual([...up].sort((a, b) => a - b));
      expect(await head.getAttribute('aria-sort')).toBe('ascending');
      await head.locator('button').click();
      expect((await column()).map(Number)).toEqual(up.toReversed());
    });
  });

  it('changes between light and dark by its switch', async () => {
    await opened(
      await samplePage('one run'),
      async ({ page }) => {
        const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(await paper()).toBe('rgb(255, 255, 255)');
        await page.locator('.theme input[value=dark]').press('Space');
        expect(await paper()).toBe('rgb(21, 24, 28)');
        await page.locator('.theme input[value=system]').press('Space');
        expect(await paper()).toBe('rgb(255, 255, 255)');
      },
      { colorScheme: 'light' },
    );
  });

  it('hands out CSV, JSON, a drawing and a specification that draws the same', async () => {
    await opened(
      await samplePage('a staircase'),
      async ({ page, messages }) => {
        const take = async (label: string): Promise<{ name: string; text: string }> => {
          const [file] = await Promise.all([
            page.waitForEvent('download'),
            page.locator('#chart-staircase .tools button', { hasText: new RegExp(`^${label}$`) }).click(),
          ]);
          return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
        };
        const csv = await take('CSV');
        expect(csv.name).toBe('staircase.csv');
        expect(csv.text.split('\r\n').slice(0, 2)).toEqual([
          'Series,Configured (Mbit/s),Received (Mbit/s)',
          'kernel 2.6.25,476,546.875',
        ]);
        expect(csv.text.trim().split('\r\n')).toHaveLength(1 + 28 + 14);
        const json = JSON.parse((await take('JSON')).text);
        expect(json.rows[0]).toEqual({ Series: 'kernel 2.6.25', Configured: 476, Received: 546.875 });
        const svg = await take('SVG');
        expect(svg.text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
        expect(svg.text).not.toContain('var(');
        const spec = JSON.parse((await take('Vega-Lite')).text);
        expect(await drawSpec(spec)).toContain('line_marks');
        expect(messages).toEqual([]);
      },
      { acceptDownloads: true },
    );
  });

  it('leads from a cell of the heat map to its run, by mouse and by keys', async () => {
    await opened(await samplePage('a grid'), async ({ page }) => {
      const figure = page.locator('#chart-heat-map');
      await figure.scrollIntoViewIfNeeded();
      const cell = (await figure.locator('svg.wide .cell_marks path').nth(0).boundingBox())!;
      await page.mouse.click(cell.x + cell.width / 2, cell.y + cell.height / 2);
      expect(await textOf(page, '#chart-heat-map .run pre')).toBe(
        'sim run scenarios/htb-800B.yaml --set size=64b --set rate=100mbit',
      );
      await figure.locator('.plot').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      expect(await textOf(page, '#chart-heat-map .run pre')).toBe(
        'sim run scenarios/htb-800B.yaml --set size=245b --set rate=200mbit',
      );
    });
  });

  it('runs the scenario again with other values, by keys alone', async () => {
    const { sweep: _, expect: __, ...document } = HTB_DOCUMENT;
    const point = runPoint({ ...document, expect: ['flows.generator.bitsPerSecond.frame above 1mbit'] });
    const result = resultOf('what if', { ...document, expect: ['flows.generator.bitsPerSecond.frame above 1mbit'] }, [
      point,
    ]);
    await opened(await pageOf([result], { whatIf: await engineScript() }), async ({ page, messages, requests }) => {
      const field = page.getByLabel('Rate of class 1:108', { exact: true });
      await field.focus();
      expect(await field.inputValue()).toBe('555mbit');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('606mbit');
      await page.keyboard.press('Enter');
      await page.locator('.whatif table').waitFor();
      const numbers = /gets ([\d.]+) Mbit\/s instead of ([\d.]+) Mbit\/s/.exec(await textOf(page, '.whatif .status'));
      // 9 and 10 ticks of 1024 ns a packet, 840 bytes each: 729.17 and 656.25 Mbit/s; the burst at the start adds a little.
      expect(Number(numbers?.[1]) / 729.17).toBeCloseTo(1, 2);
      expect(Number(numbers?.[2]) / 656.25).toBeCloseTo(1, 2);
      const slider = page.getByLabel('Rate of class 1:108, slider');
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(() =>
        window.document.querySelector('.whatif .status')?.textContent?.includes('instead of'),
      );
      // One step up from the middle, where the reported value is.
      expect(await field.inputValue()).toBe('556mbit');
      await field.fill('nonsense');
      await page.keyboard.press('Enter');
      await page.locator('.whatif .status.failed').waitFor();
      expect(await textOf(page, '.whatif .status')).toContain('rate');
      // The figures of the run before would seem to be those of the value that failed.
      expect(await page.locator('.whatif table').count()).toBe(0);
      expect(messages).toEqual([]);
      expect(requests).toEqual([]);
    });
  });

  it('gives no time to a transfer that the run is too short for', async () => {
    const [point] = curlResult().points;
    const transfer = { ...point!.flows.download!.transfer!, seconds: 5, completed: false };
    const answer = { ...point!, flows: { download: { ...point!.flows.download!, transfer } } };
    const whatIf = `var shaperlab = { runPoint() { return ${JSON.stringify(answer)}; } };`;
    const page = await pageOf([{ ...curlResult(), points: [point!] }], { whatIf });
    await opened(page, async ({ page }) => {
      await page.locator('.whatif button', { hasText: 'Run' }).press('Enter');
      const row = page.locator('.whatif table tr', { hasText: 'transfer time' });
      await row.waitFor();
      expect(await row.locator('td').nth(1).textContent()).toBe('not completed after 5\u00a0s');
      expect(await row.locator('td').nth(2).textContent()).toBe('–');
      expect(await textOf(page, '.whatif .status')).toContain('its transfer is not completed within the run');
    });
  });

  it('stays at hand while the engine is busy, and stops it when asked', async () => {
    const endless = 'var shaperlab = { runPoint() { for (;;); } };';
    await opened(await pageOf([singleResult()], { whatIf: endless }), async ({ page }) => {
      await page.locator('.whatif button', { hasText: 'Run' }).press('Enter');
      expect(await textOf(page, '.whatif .status')).toBe('Running …');
      await page.locator('.theme input[value=dark]').press('Space');
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
      await page.locator('.whatif button', { hasText: 'Stop' }).press('Enter');
      expect(await textOf(page, '.whatif .status')).toBe('Stopped.');
    });
  });

  describe('with hostile texts in every place', () => {
    const COUNT = 10;

    function hostileResult(texts: readonly string[]): Result {
      const t = (i: number): string => texts[i % texts.length] as string;
      const classes = Object.fromEntries(
        texts.map((text, i) => [
          text,
          htbClass({
            bitsPerSecond: 1e6 * (i + 1),
            ...(i > 0 ? { parent: t(0) } : {}),
            series: { backlogBytes: series(20, 0.05, (j) => j * 100), tokens: series(20, 0.05, (j) => j * 1e-5) },
          }),
        ]),
      );
      const flows = Object.fromEntries(
        texts.map((text, i) => [
          text,
          flow({
            packetsPerSecond: 1000 * (i + 1),
            series: {
              throughput: { '100ms': series(10, 0.1, () => 1e6 * (i + 1)) },
              delay: { upperSeconds: [0.001, 0.002], counts: [5, 5] },
            },
          }),
        ]),
      );
      const points = texts.map((text, i) => ({
        ...htbPoint({ rate: `${100 * (i + 1)}mbit` }),
        variables: { rate: `${100 * (i + 1)}mbit`, [t(1)]: text },
        flows,
        hops: { [t(2)]: hop(classes), [t(3)]: hop(classes) },
        expectations: [{ text, passed: i % 2 === 0, actual: text, expected: text }],
        ...(i === 0 ? { failed: text } : {}),
      }));
      const document = {
        title: t(0),
        vars: { rate: '100mbit', [t(1)]: t(2) },
        hops: {
          [t(2)]: {
            shaper: t(4),
            kernel: t(5),
            tc: t(6),
            classes: Object.fromEntries(texts.map((text) => [text, { rate: text, parent: t(0) }])),
            link: { rate: t(7), queue: t(8) },
          },
        },
        flows: Object.fromEntries(
          texts.map((text) => [text, { source: text, rate: '${rate}', size: text, via: [t(2)], class: text }]),
        ),
      };
      const references = texts.map((label) => ({
        label,
        variable: 'rate',
        figure: ['flows', t(0), 'bitsPerSecond', 'frame'],
        rows: [{ x: 1e8, y: 1e8 }],
      }));
      const result = resultOf(t(0), document, points, references, t(1));
      return {
        ...result,
        scenario: { file: t(3), sha256: t(4), document },
        run: { wallSeconds: 0, version: t(5), node: t(6) },
      };
    }

    for (let start = 0; start < HOSTILE_TEXTS.length; start += COUNT) {
      it(`none of ${start + 1} to ${start + COUNT} is executed or breaks the layout`, async () => {
        const texts = HOSTILE_TEXTS.slice(start, start + COUNT);
        const text = (i: number): string => texts[i % texts.length] as string;
        const explanations: Explanation[] = texts.map((subject, i) => ({
          result: 0,
          point: 1,
          subject,
          conclusion: text(i + 1),
          sections: [{ title: text(i + 2), lines: [{ label: text(i + 3), value: text(i + 4), rule: text(i + 5) }] }],
          warnings: [text(i + 6)],
        }));
        const result = hostileResult(texts);
        const html = await pageOf([result, { ...result, title: text(7) }], {
          explanations,
          findings: texts.map((place, i) => ({ rule: text(i + 3), place, text: text(i + 1), hint: text(i + 2) })),
          differences: texts.map((path, i) => ({ path, a: text(i + 1), b: text(i + 2) })),
          command: text(8),
          whatIf: await engineScript(),
        });
        await opened(
          html,
          async ({ page, messages, requests }) => {
            const state = await page.evaluate(() => ({
              executed: (window as unknown as { executed?: number }).executed ?? 0,
              strangers: document.querySelectorAll(
                'iframe,object,embed,img,math,base,link,form[action],body script[src],a[href^="javascript"],mglyph',
              ).length,
              scripts: document.querySelectorAll('script:not([type])').length,
              styles: document.querySelectorAll('style').length,
              handlers: [...document.querySelectorAll('*')].filter((e) =>
                [...e.attributes].some((a) => a.name.startsWith('on')),
              ).length,
              sections: [...document.querySelectorAll('main > section')].map((s) => s.id),
              width: document.documentElement.scrollWidth,
            }));
            expect(state).toEqual({
              executed: 0,
              strangers: 0,
              scripts: 1,
              styles: 1,
              handlers: 0,
              sections: ['verdict', 'simulated', 'charts', 'what-if', 'tables', 'arithmetic', 'scenario', 'source'],
              width: 360,
            });
            for (const figure of await page.locator('figure .plot:visible').all()) {
              await figure.focus();
              await page.keyboard.press('Home');
              await page.keyboard.press('Enter');
            }
            for (const toggle of await page.locator('.legend button').all()) await toggle.press('Enter');
            expect(await page.evaluate(() => (window as unknown as { executed?: number }).executed ?? 0)).toBe(0);
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
            expect(messages).toEqual([]);
            expect(requests).toEqual([]);
          },
          { viewport: { width: 360, height: 800 } },
        );
      });
    }
  });
});
