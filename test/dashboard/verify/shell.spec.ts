import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { dialog } from '../screen.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();
const heading = (name: string): Locator => stage.page.getByRole('heading', { level: 1, name });
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

it('the palette switches the account and says nothing matches', async () => {
  const { page } = stage;
  await stage.signIn();
  await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').fill('no such thing');
  await palette().getByText('Nothing matches.').waitFor();
  await palette().getByRole('combobox').fill(`switch to account ${stage.second}`);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/${stage.second}/home`);
  await page.getByRole('button', { name: `Account ${stage.second}` }).waitFor();
  expect(stage.path).toBe(`/${stage.second}/home`);
});

it('the sidebar stays collapsed and the theme dark after a reload', async () => {
  const { page } = stage;
  await stage.signIn();
  await page.keyboard.press('[');
  await page.getByRole('button', { name: 'Expand the sidebar' }).waitFor();
  await page.getByRole('button', { name: 'profile menu' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await theme()).toBe('dark');
  await page.reload();
  await page.getByRole('button', { name: 'Expand the sidebar' }).waitFor();
  expect(await theme()).toBe('dark');
  await stage.navigation.getByRole('link', { name: 'Usage' }).click();
  await heading('Usage').waitFor();
  await page.keyboard.press('[');
  await page.getByRole('button', { name: 'Collapse the sidebar' }).waitFor();
});

it('a phone opens the navigation by its menu button', async () => {
  const { page } = stage;
  await page.setViewportSize({ width: 390, height: 800 });
  await stage.signIn();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('button', { name: 'Menu' }).click();
  await stage.navigation.getByRole('link', { name: 'Members' }).click();
  await heading('Members').waitFor();
  expect(await stage.navigation.isVisible()).toBe(false);
});

it('keys open screens, but not during typing', async () => {
  const { page } = stage;
  await stage.signIn();
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await heading('Members').waitFor();
  // With its rows there, the list takes k alone, but not after g.
  await page
    .getByRole('link', { name: stage.ada.email })
    .or(page.getByRole('cell', { name: stage.ada.email }))
    .first()
    .waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await heading('API Keys').waitFor();
  await page.keyboard.press('?');
  await dialog(page).getByText('Collapse or expand the sidebar').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  expect(stage.path).toBe(`/${stage.home}/api-keys`);
  await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').pressSequentially('g?[');
  expect(await palette().getByRole('combobox').inputValue()).toBe('g?[');
});

it('figures are called old while the console does not answer', async () => {
  const { page } = stage;
  await page.clock.install();
  await stage.signIn();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.route('**/api/**', () => undefined);
  await stage.navigation.getByRole('link', { name: 'Members' }).click();
  await heading('Members').waitFor();
  const notice = page.getByText('The console is not responding.');
  await expect
    .poll(
      async () => {
        await page.clock.runFor(2_000);
        return notice.isVisible();
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  await page.getByText(/^As of .*, reconnecting$/).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await expect
    .poll(
      async () => {
        await page.clock.runFor(5_000);
        return notice.isVisible();
      },
      { timeout: 20_000 },
    )
    .toBe(false);
});
