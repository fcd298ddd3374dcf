import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { eachInGallery, openPart } from '../gallery-page.js';

/** Highest row that a list may have at 1,280 pixels of width, in pixels. */
const ROW_MAX = 48;

let page: Page;
eachInGallery((fresh) => {
  page = fresh;
});

/** The example with 500 rows. */
const many = (): Locator => page.getByRole('region', { name: 'Five hundred rows' });
const table = (name = 'Deployments'): Locator => page.getByRole('table', { name, exact: true });
/** Waits until it is there. */
const untilShown = (text: string | RegExp, exact = false): Promise<void> => page.getByText(text, { exact }).first().waitFor();
const untilAt = (address: RegExp): Promise<void> => page.waitForURL(address);
/** Names in the first column that leads on, as they stand. */
const names = (name?: string): Promise<string[]> => table(name).locator('[data-opener]').allTextContents();
const search = (): URLSearchParams => new URL(page.url()).searchParams;

const open = (query = '', part = 'data-table'): Promise<void> => openPart(page, part, query);

async function find(text: string, rows: number): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search Deployments' }).fill(text);
  await page.getByText(`${rows} of 500`).waitFor();
}

describe('a table of 500 rows', () => {
  it('goes from row to row by keys and opens one', async () => {
    await open();
    await table().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Website 3');
    await page.keyboard.press('Enter');
    await untilAt(/opened=3/);
  });

  it('is searched by / and words, and Enter opens the only match', async () => {
    await open();
    await table().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('473 person-4 ');
    await untilShown('1 of 500');
    expect(await names()).toEqual(['Website 473']);
    await page.keyboard.press('Enter');
    await untilAt(/opened=473/);
  });

  it('shows only rows that are seen and counts all', async () => {
    await open('&size=all');
    await table().locator('[data-row="0"]').waitFor();
    expect(await table().getAttribute('aria-rowcount')).toBe('501');
    expect(await table().locator('[data-row]').count()).toBeLessThan(60);
    await page.evaluate(`document.querySelector('[data-table] .overflow-auto').scrollTo(0, 1e6)`);
    const last = table().getByRole('row', { name: /Website 500/ });
    await last.waitFor();
    expect(await last.getAttribute('aria-rowindex')).toBe('501');
  });

  it('moves by keys beyond the rows that are drawn', async () => {
    await open('&size=all');
    await table().locator('[data-row="0"]').waitFor();
    await table().getByRole('link', { name: 'Website 1', exact: true }).focus();
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('j');
      await page.locator('a:focus', { hasText: new RegExp(`^Website ${step + 2}$`) }).waitFor();
    }
    expect(await page.evaluate('document.activeElement.closest("tr").ariaRowIndex')).toBe('62');
  });

  it('sorts by its headings and names the order', async () => {
    await open();
    const heading = table().getByRole('columnheader', { name: 'Requests' });
    await heading.getByRole('button').click();
    await untilAt(/sort=requests/);
    expect(await heading.getAttribute('aria-sort')).toBe('descending');
    await heading.getByRole('button').click();
    await untilAt(/sort=requests$/);
    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    expect((await names())[0]).toBe('Website 1');
    // Values that are missing come last in both orders.
    for (const dir of ['asc', 'desc']) {
      await open(`&sort=latency&dir=${dir}&q=phi-4&page=2`);
      expect(await table().getByRole('row').last().getByText('–').count(), dir).toBe(1);
      await open(`&sort=latency&dir=${dir}&q=phi-4`);
      await table().locator('[data-row="0"]').waitFor();
      expect(await table().getByText('–').count(), dir).toBe(0);
    }
  });

  it('keeps search, filters, order, columns and page over a reload', async () => {
    await open();
    await page.getByRole('searchbox', { name: 'Search Deployments' }).fill('example');
    await many().getByRole('button', { name: 'Filter by Status' }).click();
    await page.getByRole('checkbox', { name: /Failed/ }).check();
    await page.keyboard.press('Escape');
    await untilShown('100 of 500');
    await table().getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await many().getByRole('button', { name: 'View' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Number' }).click();
    await page.getByRole('menuitemradio', { name: 'Compact' }).click();
    await page.keyboard.press('Escape');
    await many().getByRole('button', { name: 'Next page' }).click();
    await untilShown('51–100 of 100');
    const before = await names();
    expect(Object.fromEntries(search())).toMatchObject({ q: 'example', status: 'failed', sort: 'name', density: 'compact', page: '2' });
    await page.reload();
    await untilShown('51–100 of 100');
    expect(await names()).toEqual(before);
    await table().getByRole('columnheader', { name: 'Number' }).waitFor();
    expect((await table().locator('[data-row]').first().boundingBox())!.height).toBe(36);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await untilShown('1–50 of 500');
  });

  it('draws itself whatever its address holds', async () => {
    const hostile = [
      'q[]=x&sort[]=name',
      '__proto__=x&constructor=y',
      `q=${'x'.repeat(10_240)}`,
      'page=-1&size=1e9',
      'sort=__proto__&cols=%3Cb%3E',
    ];
    for (const query of [...hostile, 'status=nonsense', 'page=999', 'q=%00%ff']) {
      await open(`&${query}`);
      await table().waitFor();
      await many().getByRole('button', { name: 'View' }).waitFor();
    }
    await page.goto('/gallery.html?part=data-table&page=999');
    await untilShown('451–500 of 500');
  });

  it('selects a range with Shift, and all that match', async () => {
    await open();
    await table().getByRole('checkbox', { name: 'Select Website 2', exact: true }).click();
    await table()
      .getByRole('checkbox', { name: 'Select Website 6', exact: true })
      .click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByText('5 selected').waitFor();
    await find('phi-4', 100);
    await bar.getByText('1 selected').waitFor();
    await bar.getByRole('button', { name: 'Select all 100 matching' }).click();
    await bar.getByText('100 selected').waitFor();
    await bar.getByRole('button', { name: 'Stop' }).click();
    await untilShown('Stopped 100');
    await bar.waitFor({ state: 'detached' });
  });

  it('opens rows by a click anywhere, and in a new tab by the middle button', async () => {
    await open();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      table()
        .getByRole('row', { name: /Website 5 / })
        .getByText('phi-4')
        .click({ button: 'middle' }),
    ]);
    expect(tab.url()).toContain('opened=5');
    await table()
      .getByRole('row', { name: /Website 4 / })
      .getByText('gemma')
      .click();
    await untilAt(/opened=4/);
  });

  it('offers the actions of a row by keyboard and returns the focus', async () => {
    await open();
    const button = table().getByRole('button', { name: 'Actions for Website 2', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[aria-label="Actions for Website 2"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await untilShown('Deleted Website 2', true);
  });

  it('says that nothing matches and clears the search', async () => {
    await open('&q=nothing-like-it');
    await untilShown('Nothing matches the search and filters.');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await untilShown('1–50 of 500');
  });
});

describe('every table', () => {
  it.each(['light', 'dark'] as const)('is accessible in %s', async (theme) => {
    const dress = (): Promise<unknown> => page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    for (const part of ['data-table-states', 'data-table-kinds']) {
      await open('', part);
      await dress();
      expect(await axeFaults(page)).toEqual([]);
    }
    await open('&status=ready&q=47');
    await dress();
    await table().getByRole('checkbox', { name: 'Select Website 47', exact: true }).check();
    await many().getByRole('button', { name: 'Filter by Owner' }).click();
    await page.getByRole('checkbox', { name: /person-10@/ }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  it('keeps its rows low beside the longest names', async () => {
    await open('', 'data-table-kinds');
    const rows = await table('Longest names').getByRole('row').all();
    expect(rows).toHaveLength(5);
    for (const row of rows) expect((await row.boundingBox())!.height).toBeLessThanOrEqual(ROW_MAX);
    await table('Longest names').getByText('Q4_K_M.gguf').first().waitFor();
  });

  it('is a list of low cards on phones, without sideways scroll', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    await table().locator('[data-row="0"]').waitFor();
    expect((await table().locator('[data-row="0"]').boundingBox())!.height).toBeLessThanOrEqual(64);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await axeFaults(page)).toEqual([]);
    await table().getByRole('link', { name: 'Website 1', exact: true }).click();
    await untilAt(/opened=1/);
  });

  it('loads more where its source gives parts', async () => {
    await open('', 'data-table-kinds');
    expect(await table('Audit log').getAttribute('aria-rowcount')).toBe('21');
    await page.getByRole('button', { name: 'Load more' }).click();
    await untilShown('40 loaded');
    await page.getByRole('button', { name: 'Load more' }).click();
    await untilShown('All 60 loaded');
  });

  it('shows what it waits for, what is missing and what failed', async () => {
    await open('', 'data-table-states');
    expect(await table('Loading items').getAttribute('aria-busy')).toBe('true');
    await page.getByRole('heading', { name: 'No items yet' }).waitFor();
    await page.getByRole('region', { name: 'Failed' }).getByRole('button', { name: 'Try again' }).click();
    await untilShown('Asked again');
    await page.getByRole('region', { name: 'Stale' }).getByText('Live paused: as of').waitFor();
    expect(await names('Stale items')).toEqual([]);
    await table('Stale items').getByText('Second').waitFor();
  });
});
