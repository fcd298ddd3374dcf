import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { until } from '../testing/until.js';

/** Criteria that the dashboard keeps. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** A browser in which people open the console. It counts what no screen may cause. */
export class ConsoleBrowser {
  /** What the content security policy refused, and what scripts threw or complained of. */
  readonly faults: string[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly url: string,
  ) {}

  static async start(url: string): Promise<ConsoleBrowser> {
    const named = process.env['CHROMIUM_BIN'];
    const executablePath = named === undefined || named === '' ? '/usr/bin/chromium' : named;
    // The sandbox wants a user other than root.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    return new ConsoleBrowser(await chromium.launch({ executablePath, args }), url);
  }

  /** A person with a browser of their own. */
  async person(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ baseURL: this.url, viewport: { width: 1280, height: 860 }, ...options });
    await this.#watch(context);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    return page;
  }

  end(): Promise<void> {
    return this.browser.close();
  }

  async #watch(context: BrowserContext): Promise<void> {
    await context.exposeBinding('noteViolation', (_source, text: string) => this.faults.push(`policy: ${text}`));
    await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      window.noteViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile));`);
    context.on('weberror', (error) => this.faults.push(`thrown: ${error.error().message}`));
    context.on('console', (message) => {
      // Failed questions are reported by the browser itself; a screen that causes them words them.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.faults.push(`console: ${message.text()}`);
    });
  }
}

/** Ends when nothing fades in or out any more: half-drawn text has less contrast. */
const settled = (page: Page): Promise<unknown> =>
  page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
      .map((one) => one.finished))`);

/** What axe finds wrong with a page as it is, one line each. @param more tags besides those of WCAG */
export async function axeFaults(page: Page, more: readonly string[] = []): Promise<string[]> {
  await settled(page);
  const { violations } = await new AxeBuilder({ page }).withTags([...WCAG, ...more]).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/**
 * Whether a page is no wider than its window. Charts and tables follow a new width in the next frames. Asked from here: where a page
 * looks by itself (`waitForFunction`), its policy refuses the second look.
 */
export function fitsWindow(page: Page, withinMs: number): Promise<boolean> {
  const fits = (): Promise<boolean> => page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  return until('the page fits its window', fits, withinMs).catch(() => false);
}
