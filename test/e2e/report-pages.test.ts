import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, PageBrowser } from '../reports/chromium.ts';
import { Folder, ROOT, sim } from './sim.ts';

const SCENARIOS = readdirSync(join(ROOT, 'scenarios')).filter((name) => name.endsWith('.yaml'));

describe.skipIf(!hasChromium)('the page of each shipped scenario', () => {
  const folder = new Folder();
  let browser: PageBrowser;
  beforeAll(async () => {
    browser = await PageBrowser.launch();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    folder.remove();
  });

  it.each(SCENARIOS)('%s opens silently, has a finding, fits a telephone, and stays below 1.6 MB', async (name) => {
    const file = folder.at(name.replace('.yaml', '.html'));
    const { exitCode, stderr } = sim('run', join('scenarios', name), '--html', file);
    expect(stderr).not.toContain('internal fault');
    expect(exitCode).toBe(0);
    const html = readFileSync(file, 'utf8');
    expect(Buffer.byteLength(html)).toBeLessThan(1.6e6);
    const { page, messages, requests, close } = await browser.open(html, { viewport: { width: 360, height: 800 } });
    try {
      expect(await page.locator('.headline').textContent()).not.toContain('fail');
      expect(await page.locator('.lead').textContent()).toMatch(/\d/);
      expect(await page.locator('figure svg.narrow:visible').count()).toBeGreaterThan(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      expect([messages, requests]).toEqual([[], []]);
    } finally {
      await close();
    }
  });
});
