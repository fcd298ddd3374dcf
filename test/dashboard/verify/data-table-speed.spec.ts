import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GalleryPage } from '../gallery-page.js';
import { FRAME_MS, scrollList, tasksWhile } from '../main-thread.js';

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

describe('a table of 500 rows on one page', () => {
  it('takes less than a frame for each step of a scroll', async () => {
    await page.goto('/gallery.html?part=data-table&size=all');
    await page.getByRole('table', { name: 'Deployments' }).locator('[data-row="0"]').waitFor();
    const tasks = await tasksWhile(browser, page, () => scrollList(page));
    expect(tasks.length).toBeGreaterThan(100);
    expect(tasks.filter((ms) => ms > FRAME_MS).length).toBeLessThanOrEqual(2);
  });

  it('takes less than a frame for each letter typed in its search', async () => {
    await page.goto('/gallery.html?part=data-table&size=all');
    await page.getByRole('searchbox', { name: 'Search Deployments' }).focus();
    const tasks = await tasksWhile(browser, page, () => page.keyboard.type('website 4 example person', { delay: 90 }));
    expect(tasks.length).toBeGreaterThan(24);
    expect(tasks.filter((ms) => ms > FRAME_MS).length).toBeLessThanOrEqual(2);
  });
});
