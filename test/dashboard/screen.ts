import type { Locator, Page } from 'playwright-core';

/** Goes to a screen by the navigation. */
export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** The dialog over the page. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');
