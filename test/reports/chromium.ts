import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Whether tests in a browser run: wherever there is one, and always in continuous integration, so that none is skipped unseen. */
export const hasChromium = existsSync(EXECUTABLE) || process.env.CI !== undefined;

if (!hasChromium)
  console.warn(`tests in a browser are skipped: there is no ${EXECUTABLE} (CHROMIUM names another one)`);

/** A page under test, and all that it said or asked for. */
export interface Opened {
  readonly page: Page;
  /** Console messages, uncaught errors, dialogs, violations of the content security policy. */
  readonly messages: string[];
  /** Requests other than for the file itself. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** A browser with a folder for the pages that it opens from disk. */
export class PageBrowser {
  readonly #browser: Browser;
  readonly #folder: string;
  #count = 0;

  private constructor(browser: Browser) {
    this.#browser = browser;
    this.#folder = mkdtempSync(join(tmpdir(), 'page-'));
  }

  static async launch(): Promise<PageBrowser> {
    return new PageBrowser(
      await chromium.launch({
        executablePath: EXECUTABLE,
        args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
      }),
    );
  }

  /** Opens a page from file://. */
  async open(html: string, options: BrowserContextOptions = {}): Promise<Opened> {
    this.#count += 1;
    const file = join(this.#folder, `page-${this.#count}.html`);
    writeFileSync(file, html);
    const context = await this.#browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    const messages: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => messages.push(`error: ${error.message}`));
    page.on('dialog', async (dialog) => {
      messages.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    page.on('request', (request) => {
      const url = request.url();
      if (url !== `file://${file}` && !url.startsWith('blob:')) requests.push(url);
    });
    await page.goto(`file://${file}`);
    return { page, messages, requests, close: () => context.close() };
  }

  async close(): Promise<void> {
    await this.#browser.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
