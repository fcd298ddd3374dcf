import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { dialog, storeSecret } from './screen.js';

/** Chooses an action of a row. */
export async function menuOf(page: Page, key: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${key}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Stops the deployment whose page is open. */
export async function stop(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Stop' }).click();
  await dialog(page).getByRole('button', { name: 'Stop deployment' }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

/** Creates a key by keyboard alone and gives its value, which is gone afterwards. */
export async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create API key' }).first().focus();
  await page.keyboard.press('Enter');
  await dialog(page).getByLabel('Name').fill(name);
  await page.keyboard.press('Enter');
  const value = await dialog(page).getByLabel('Key', { exact: true }).inputValue();
  await page.keyboard.press('Escape');
  expect(await dialog(page).getByLabel('Key', { exact: true }).inputValue()).toBe(value);
  expect(await dialog(page).getByRole('region', { name: 'First request' }).textContent()).toContain(value);
  await storeSecret(page);
  expect(await page.content()).not.toContain(value);
  return value;
}
