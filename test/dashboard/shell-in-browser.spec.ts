import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { dialog } from './screen.js';
import { SignedOutPage } from './signed-out-page.js';

// What the shell keeps over a reload, on a phone and in another account is under verify.
const stage = SignedOutPage.around();

const heading = (name: string): Locator => stage.page.getByRole('heading', { level: 1, name });
const palette = (): Locator => stage.page.getByRole('dialog', { name: 'Search and commands' });

it('the palette finds a screen by typing and opens it by Enter', async () => {
  const { page } = stage;
  await stage.signIn();
  await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').fill('play');
  await page.keyboard.press('Enter');
  await heading('Playground').waitFor();
  expect(stage.path).toBe(`/${stage.home}/playground`);
  await palette().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Search and commands' }).click();
  await palette().getByRole('combobox').fill(stage.ada.email);
  await palette().getByRole('option', { name: stage.ada.email }).waitFor();
  await page.keyboard.press('Escape');
  await palette().waitFor({ state: 'detached' });
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

it('failures are shown inside the shell', async () => {
  const { page } = stage;
  await stage.signIn();
  await page.goto(`/${stage.home}/no-such-screen`);
  await heading('Not found').waitFor();
  expect(await stage.navigation.getByRole('link').count()).toBeGreaterThan(8);
  await page.route('**/api/refresh', (route) => route.abort());
  await page.goto(`/${stage.home}/api-keys`);
  await heading('Not available').waitFor();
  await stage.navigation.getByRole('link', { name: 'API Keys' }).waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading('API Keys').waitFor();
});
