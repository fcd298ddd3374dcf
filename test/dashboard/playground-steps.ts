import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeFaults } from './console-browser.js';
import { choose, dialog } from './screen.js';

const TOOL = '[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]';

const answers = (page: Page): Locator => page.getByRole('article');

/** Answers on the screen that came to their end. */
export const answered = (page: Page): Promise<number> => answers(page).getByText('Finish reason').count();

const whenAnswered = (page: Page, count: number): Promise<void> => expect.poll(() => answered(page), { timeout: 30_000 }).toBe(count);

/** Asks by keyboard, and sees the answer with its figures. */
export async function askOne(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Max tokens' }).fill('60');
  await page.getByLabel('Message').fill('Who are you?');
  await page.keyboard.press('Enter');
  await whenAnswered(page, 1);
  expect(await answers(page).textContent()).toMatch(/Who are you\?.*demo.*TTFT.*Tokens out.*req_/);
}

/** Asks two at once, in the other contract, which has fewer parameters. */
export async function askTwo(page: Page): Promise<void> {
  await choose(page.getByLabel('Contract'), 'Messages');
  expect(await page.getByRole('textbox', { name: 'Seed' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByLabel('Message').fill('What can you do?');
  await page.getByRole('button', { name: 'Send' }).click();
  await whenAnswered(page, 3);
}

async function inDialog(page: Page, button: string, read: () => Promise<string | null>): Promise<string> {
  await answers(page).last().getByRole('button', { name: button }).click();
  const text = await read();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  return text ?? '';
}

/** The last request as code. */
export const codeOfLast = (page: Page, language: string): Promise<string> =>
  inDialog(page, 'View code', async () => {
    await dialog(page).getByRole('tab', { name: language }).click();
    return dialog(page).getByRole('region', { name: 'Request' }).textContent();
  });

/** The last answer as it came. */
export const rawOfLast = (page: Page): Promise<string> =>
  inDialog(page, 'Raw', () => dialog(page).getByRole('region', { name: 'Raw' }).textContent());

/** Offers a tool, which must be called, and gives its result back. */
export async function callTool(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Close comparison' }).click();
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('textbox', { name: 'Tools' }).fill(TOOL);
  await choose(page.getByLabel('Tool choice'), /^Required/);
  await page.getByLabel('Message').fill('What is the weather in Paris?');
  await page.keyboard.press('Enter');
  await page.getByLabel('Result of get_weather').fill('Sunny');
  await choose(page.getByLabel('Tool choice'), 'Auto');
  await page.getByRole('button', { name: 'Send' }).click();
  await whenAnswered(page, 2);
}
