import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eachInGallery, openPart } from '../gallery-page.js';

let page: Page;
eachInGallery((fresh) => {
  page = fresh;
});

const open = (part: string): Promise<void> => openPart(page, part);
const chartOf = async (title: string): Promise<{ readonly example: Locator; readonly plot: Locator }> => {
  await open('charts');
  const example = page.getByRole('region', { name: title, exact: true });
  const plot = example.getByRole('application');
  await plot.locator('canvas').waitFor();
  await plot.scrollIntoViewIfNeeded();
  return { example, plot };
};

/** Moves the pointer over a plot. @param share of its width, from the left */
async function pointAt(plot: Locator, share: number): Promise<void> {
  const box = await plot.locator('.u-over').boundingBox();
  if (!box) throw new Error('The plot is not there.');
  await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
}

describe('a chart under the pointer', () => {
  it('shows all its series at that moment, from the top down', async () => {
    const { example, plot } = await chartOf('Stacked bars with the day before');
    await pointAt(plot, 0.25);
    const tooltip = example.locator('[data-tooltip]');
    await tooltip.getByText('Total').waitFor();
    const names = await tooltip.locator('span.truncate').allTextContents();
    expect(names).toEqual([
      ...['4 others', 'staging', 'ci', 'notebook-lena', 'evaluation', 'support-bot', 'batch-import', 'website'],
      'Total',
      'Day before',
    ]);
  });

  it('has its tooltip beside the pointer, on either side', async () => {
    const { example, plot } = await chartOf('Stacked areas');
    const tooltip = example.locator('[data-tooltip]');
    const over = await plot.locator('.u-over').boundingBox();
    for (const share of [0.1, 0.4, 0.9]) {
      await pointAt(plot, share);
      const pointer = (over?.x ?? 0) + (over?.width ?? 0) * share;
      const distance = async (): Promise<number> => {
        const box = await tooltip.boundingBox();
        if (!box) return Number.POSITIVE_INFINITY;
        return Math.min(Math.abs(box.x - pointer), Math.abs(box.x + box.width - pointer));
      };
      await expect.poll(distance).toBeLessThan(40);
    }
  });

  it('shares its crosshair, and keeps its tooltip to itself', async () => {
    const { plot } = await chartOf('Stacked areas');
    await pointAt(plot, 0.5);
    await page.locator('[data-tooltip]').waitFor();
    const crosshairs = page.locator('.u-cursor-x:not(.u-off)');
    await expect.poll(() => crosshairs.count()).toBe(4);
    expect(await page.locator('[data-tooltip]').count()).toBe(1);
  });
});

describe('a chart', () => {
  it('is zoomed by dragging over whole steps, and back by a double click', async () => {
    const { example, plot } = await chartOf('Lines with gaps, marks and zoom');
    await pointAt(plot, 0.5);
    await page.mouse.down();
    await pointAt(plot, 0.75);
    await page.mouse.up();
    const zoomed = example.locator('[data-zoom]');
    await expect.poll(() => zoomed.textContent()).toMatch(/^2026-11-21T02:00:00.000Z 2026-11-21T08:00:00.000Z$/);
    await plot.locator('.u-over').dblclick();
    await expect.poll(() => zoomed.textContent()).toBe('Whole range');
  });

  it('is read and zoomed by keyboard', async () => {
    const { example, plot } = await chartOf('Lines with gaps, marks and zoom');
    await plot.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => example.getByRole('status').textContent()).toMatch(/^20 Nov, 14:30: p99 1\.\d s, p95 \d+ ms, p50 \d+ ms$/);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await expect.poll(() => example.locator('[data-zoom]').textContent()).toBe('2026-11-20T14:30:00.000Z 2026-11-20T15:30:00.000Z');
    await example.getByRole('button', { name: 'Zoom out' }).click();
    await page.getByRole('link', { name: /^Revision 4 serves, 20 Nov, 21:12$/ }).focus();
    await example.getByText('Revision 4 serves').waitFor();
  });

  it('hides a series by its legend, or all others', async () => {
    const { example } = await chartOf('Stacked areas');
    const series = example.getByRole('list', { name: 'Series' }).getByRole('button');
    const pressed = async (): Promise<(string | null)[]> =>
      Promise.all((await series.all()).map((button) => button.getAttribute('aria-pressed')));
    await example.getByRole('button', { name: /^website/ }).click();
    await expect.poll(pressed).toEqual(['false', 'true', 'true', 'true', 'true']);
    await example.getByRole('button', { name: /^support-bot/ }).click({ modifiers: ['Alt'] });
    await expect.poll(pressed).toEqual(['false', 'false', 'true', 'false', 'false']);
  });

  it('is also a table of the same numbers', async () => {
    const { example } = await chartOf('Few requests');
    await example.getByRole('button', { name: /^Show as table/ }).click();
    const rows = example.getByRole('table').getByRole('row');
    expect(await rows.count()).toBe(49);
    expect(await rows.nth(48).textContent()).toBe('20 Nov, 14:000');
    await example.getByRole('button', { name: /^Show as chart/ }).click();
    await example.getByRole('application').waitFor();
  });

  it('follows the theme and the width of its page', async () => {
    const { plot } = await chartOf('Few requests');
    const picture = (): Promise<Buffer> => plot.screenshot();
    const light = await picture();
    await page.getByRole('button', { name: 'Switch to dark' }).click();
    await expect.poll(async () => (await picture()).equals(light)).toBe(false);
    await page.setViewportSize({ width: 390, height: 844 });
    const overflow = (): Promise<boolean> => page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    await expect.poll(async () => (await plot.locator('canvas').boundingBox())?.width).toBeLessThan(390);
    expect(await overflow()).toBe(false);
    // What a chart still is in the moment after its page became narrower.
    await plot.locator('.uplot').evaluate("(node) => (node.style.width = '1200px')");
    expect(await overflow()).toBe(false);
  });
});

describe('code', () => {
  it('is chosen by language and contract, copied, and remembered', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('code');
    const example = page.getByRole('region', { name: 'A first request', exact: true });
    await example.getByRole('tab', { name: 'Python' }).click();
    await example.getByRole('button', { name: 'Messages' }).click();
    const code = example.getByRole('region', { name: 'First request' });
    await expect.poll(() => code.textContent()).toMatch(/^import os\n\nfrom anthropic import Anthropic/);
    await example.getByRole('button', { name: 'Copy: First request' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await code.textContent());
    await code.locator('.text-accent', { hasText: 'import' }).first().waitFor();
    await page.reload();
    await expect.poll(() => code.textContent()).toMatch(/from anthropic/);
  });

  it('of an MCP client comes with its install link, for reading too', async () => {
    await open('code');
    const example = page.getByRole('region', { name: 'Settings of an MCP client', exact: true });
    await example.getByRole('tab', { name: 'Cursor' }).click();
    await example.getByRole('button', { name: 'Read-only' }).click();
    await expect.poll(() => example.getByRole('region', { name: '~/.cursor/mcp.json' }).textContent()).toContain('/mcp/readonly');
    expect(await example.getByRole('link', { name: 'Add to Cursor' }).getAttribute('href')).toMatch(/^cursor:\/\/anysphere/);
    expect(await example.getByRole('region', { name: 'Your key' }).textContent()).toBe('export SLIPWAY_MCP_KEY=YOUR_MCP_KEY');
  });

  it('and Markdown arrive in pieces and end as at once', async () => {
    await open('code');
    const example = page.getByRole('region', { name: 'Markdown of a model', exact: true });
    await example.getByRole('table').waitFor();
    const before = await example.textContent();
    await example.getByRole('button', { name: 'Stream it again' }).click();
    await example.getByRole('table').waitFor({ state: 'detached' });
    await expect.poll(() => example.textContent(), { timeout: 20_000 }).toBe(before);
  });
});
