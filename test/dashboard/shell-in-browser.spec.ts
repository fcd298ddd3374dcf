import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { SignedOutPage } from './signed-out-page.js';

// Keys, a console that is silent, and what the shell keeps over a reload, on a phone and in another account are under verify.
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
