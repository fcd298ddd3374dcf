import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { dialog } from '../screen.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();
const palette = (): Locator => stage.page.getByRole('dialog', { name: 'Search and commands' });
const theme = (): Promise<unknown> => stage.page.evaluate('document.documentElement.dataset.theme');

it.each(['light', 'dark'] as const)('shell and palette have no fault of accessibility: %s', async (colours) => {
  const { page } = stage;
  await stage.signIn();
  await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').fill(`theme: ${colours}`);
  await page.keyboard.press('Enter');
  await expect.poll(theme).toBe(colours);
  expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  await page.keyboard.press('Control+k');
  await palette().getByRole('option').first().waitFor();
  expect(await axeFaults(page, ['best-practice'])).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await dialog(page).getByText('Show this list').waitFor();
  expect(await axeFaults(page, ['best-practice'])).toEqual([]);
});
