import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GalleryPage } from '../gallery-page.js';

/** A frame at 60 Hz, in milliseconds. */
const FRAME_MS = 1_000 / 60;

let gallery: GalleryPage;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  gallery = await GalleryPage.start();
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: process.env['CHROMIUM_BIN'] || '/usr/bin/chromium', args });
  page = await browser.newPage({ baseURL: gallery.url, viewport: { width: 1280, height: 860 } });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await gallery?.end();
});

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Time of the processor, in microseconds: what other programs take of it does not count. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Milliseconds of the processor that the page's main thread takes for each task while something happens, the longest first. */
async function tasksWhile(act: () => Promise<unknown>): Promise<readonly number[]> {
  await browser.startTracing(page, {
    categories: ['toplevel', '__metadata', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && main.some((one) => one.pid === pid && one.tid === tid))
    .map(({ tdur = 0 }) => tdur / 1_000)
    .toSorted((a, b) => b - a);
}

describe('a table of 500 rows on one page', () => {
  it('takes less than a frame for each step of a scroll', async () => {
    await page.goto('/gallery.html?part=data-table&size=all');
    await page.getByRole('table', { name: 'Deployments' }).locator('[data-row="0"]').waitFor();
    const tasks = await tasksWhile(() =>
      page.evaluate(`new Promise((done) => {
        const element = document.querySelector('[data-table] .overflow-auto');
        let step = 0;
        (function scroll() { element.scrollTop += 60; if (++step < 180) requestAnimationFrame(scroll); else done(); })();
      })`),
    );
    expect(tasks.length).toBeGreaterThan(100);
    expect(tasks.filter((ms) => ms > FRAME_MS).length).toBeLessThanOrEqual(2);
  });

  it('takes less than a frame for each letter typed in its search', async () => {
    await page.goto('/gallery.html?part=data-table&size=all');
    await page.getByRole('searchbox', { name: 'Search Deployments' }).focus();
    const tasks = await tasksWhile(() => page.keyboard.type('website 4 example person', { delay: 90 }));
    expect(tasks.length).toBeGreaterThan(24);
    expect(tasks.filter((ms) => ms > FRAME_MS).length).toBeLessThanOrEqual(2);
  });
});
