import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { eachInGallery, openPart } from '../gallery-page.js';

let page: Page;
eachInGallery(
  (fresh) => {
    page = fresh;
  },
  { timezoneId: 'America/New_York' },
);

const address = (): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);
const untilAt = (pattern: RegExp): Promise<void> => page.waitForURL(pattern);

const open = (query = ''): Promise<void> => openPart(page, 'filters', query);

describe('the filter bar', () => {
  it('takes filters typed by keyboard and keeps them over a reload', async () => {
    await open();
    const line = page.getByRole('combobox', { name: 'Filter requests' });
    await line.click();
    await page.keyboard.type('sta');
    await page.getByRole('option', { name: 'status: Status' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('fail');
    await page.getByRole('option', { name: 'status: failed' }).waitFor();
    await page.keyboard.press('Enter');
    await untilAt(/status=failed/);
    await page.keyboard.type('website 8');
    await page.getByRole('option', { name: 'key: Website 8' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('request:req_12');
    await page.getByRole('option', { name: 'request: req_12' }).waitFor();
    await page.keyboard.press('Enter');
    await untilAt(/request=req_12/);
    await page.reload();
    await page.getByRole('button', { name: 'Remove API key: Website 8' }).waitFor();
    expect(address()).toEqual({ part: 'filters', status: 'failed', key: '8', request: 'req_12' });
    await line.click();
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Remove Request: req_12' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear' }).click();
    await untilAt(/part=filters$/);
  });
});

describe('the range picker', () => {
  it('chooses a preset, and Back returns to the one before', async () => {
    await open('&range=7d');
    await page.getByRole('button', { name: 'Time range: Last 7 days' }).click();
    await page.getByRole('button', { name: 'Last 15 minutes' }).click();
    await page.getByRole('button', { name: 'Time range: Last 15 minutes' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Time range: Last 7 days' }).waitFor();
    await page.getByRole('switch', { name: 'Compare with the period before' }).click();
    await untilAt(/compare=true/);
    expect(address()).toEqual({ part: 'filters', range: '7d', compare: 'true' });
  });

  it('takes a custom range in local time and shows it in UTC', async () => {
    await open('&live=true');
    await page.getByRole('button', { name: 'Time range: Last 24 hours' }).click();
    await page.getByLabel('Start').fill('2026-11-20T20:00');
    await page.getByLabel('End').fill('2026-11-20T19:00');
    await page.getByText('The start must be before the end.').waitFor();
    await page.getByLabel('End').fill('2026-11-20T21:30');
    await page.getByText('UTC: 2026-11-21 01:00 – 02:30').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Time range: 2026-11-20 20:00 – 21:30' }).waitFor();
    expect(address()).toEqual({ part: 'filters', from: '2026-11-21T01:00Z', to: '2026-11-21T02:30Z' });
    expect(await page.getByRole('switch', { name: 'Live' }).isDisabled()).toBe(true);
  });
});

it.each(['light', 'dark'] as const)('filters and ranges are accessible in %s', async (theme) => {
  await open('&status=failed&key=8&from=nonsense&range=nonsense');
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
  await page.getByRole('button', { name: 'Time range: Last 24 hours' }).click();
  await page.getByLabel('Start').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Filter requests' }).click();
  await page.getByRole('option').first().waitFor();
  // While the list is open, Base UI hides all else from screen readers, which axe takes for a fault: Tab and Esc close it first.
  expect((await axeFaults(page)).filter((fault) => !fault.startsWith('aria-hidden-focus'))).toEqual([]);
});
