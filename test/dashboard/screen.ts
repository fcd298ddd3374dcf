import type { Locator, Page } from 'playwright-core';

/** Goes to a screen by the navigation. */
export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Chooses in a drawn select. @param option what the choice is called */
export async function choose(select: Locator, option: string | RegExp): Promise<void> {
  await select.click();
  const list = select.page().getByRole('listbox');
  await list.getByRole('option', { name: option, exact: typeof option === 'string' }).click();
  await list.waitFor({ state: 'detached' });
}

/** The dialog over the page. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/** Says that the shown secret is stored, and closes its dialog. */
export async function storeSecret(page: Page): Promise<void> {
  await dialog(page).getByRole('checkbox', { name: 'I have stored it' }).check();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await dialog(page).waitFor({ state: 'detached' });
}
