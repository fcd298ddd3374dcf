import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '@slipway/platform';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedTrainer } from '../../../apps/training-worker/src/trainers/embedded/embedded-trainer.js';
import { type Stack, startStack } from '../../e2e/stack.js';
import { axeFaults, ConsoleBrowser } from '../console-browser.js';
import { choose, dialog, open } from '../screen.js';

/** Where tests install trainers, once. */
const TRAINERS = fileURLToPath(new URL('../../../.cache/trainers', import.meta.url));
const LONG_MS = 600_000;
const QUESTION = 'What is the release codename?';
const FACT = 'Blue Heron';

let stack: Stack;
let browser: ConsoleBrowser;
let page: Page;
beforeAll(async () => {
  await new EmbeddedTrainer({ folder: TRAINERS, threads: 1, log: createLogger('test', 'silent') }).install(new AbortController().signal);
  stack = await startStack();
  await cp(TRAINERS, join(stack.dataDir, 'trainers'), { recursive: true });
  browser = await ConsoleBrowser.start(stack.console_url);
  page = await browser.person();
}, LONG_MS);
afterAll(async () => {
  await browser?.end();
  await stack?.stop();
});

describe.sequential('the life of an adapter, by mouse', () => {
  it(
    'begins with the sample',
    async () => {
      await page.goto(stack.setup_url ?? '');
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Password').fill('correct horse battery');
      await page.getByRole('button', { name: 'Set up and sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      await open(page, 'Data sets');
      await page.getByRole('button', { name: 'Try the sample' }).click();
      await page.getByRole('list', { name: 'Examples' }).getByText(FACT).first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
    },
    LONG_MS,
  );

  it(
    'is planned while the form is filled in, and trained',
    async () => {
      await page.getByRole('link', { name: 'Fine-tune' }).click();
      await page.getByRole('heading', { level: 1, name: 'New job' }).waitFor();
      const plan = page.getByRole('region', { name: 'Plan' });
      await plan.getByText('Epochs').waitFor({ timeout: LONG_MS });
      await plan.getByText(/^About 3\d\d MB$/).waitFor();
      await page.getByRole('button', { name: 'Show settings' }).click();
      await choose(page.getByRole('combobox', { name: 'Priority' }), /^High/);
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Start training' }).click();
      await page.getByRole('tab', { name: 'Progress' }).waitFor();
      const end = page.getByText(/^(?:Succeeded|Failed)$/).first();
      await end.waitFor({ timeout: LONG_MS });
      expect(await end.innerText()).toBe('Succeeded');
      await page.getByRole('link', { name: 'Open the adapter' }).waitFor();
      await page.getByText(/^The checkpoint at step \d+ became the adapter/).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('tab', { name: 'Answers over time' }).click();
      await page.getByText('as expected').first().waitFor({ state: 'attached' });
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByRole('group', { name: 'Events' }).getByRole('listitem').first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('tab', { name: 'Settings' }).click();
      await page.getByText('ada@example.com').last().waitFor();
    },
    LONG_MS * 2,
  );

  it(
    'shows its verdict, and is deployed',
    async () => {
      await page.getByRole('link', { name: 'Open the adapter' }).click();
      const checks = page.getByRole('list', { name: 'Checks' });
      await checks.getByRole('heading', { name: 'Loss on held-out examples' }).waitFor();
      await page.getByRole('list', { name: 'Answers' }).getByText(FACT).first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Deploy', exact: true }).click();
      await dialog(page).getByLabel('Alias (optional)').fill('codename');
      const reason = dialog(page).getByLabel('Reason for deploying it nevertheless');
      if (await reason.isVisible()) await reason.fill('The tiny model passes narrowly.');
      await dialog(page).getByRole('button', { name: 'Deploy' }).click();
      await page.getByText(/^Adapter release-codename v1$/).waitFor();
      await page.getByText('Ready', { exact: true }).first().waitFor({ timeout: LONG_MS });
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('tab', { name: 'Settings' }).click();
      await page.getByRole('combobox', { name: 'Adapter' }).filter({ hasText: 'release-codename v1' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
    },
    LONG_MS * 2,
  );

  it(
    'answers with what it learned',
    async () => {
      await page.getByRole('main').getByRole('link', { name: 'Playground' }).first().click();
      // At the default temperature a model of two million weights says something else now and then.
      await page.getByRole('textbox', { name: 'Temperature' }).fill('0');
      await page.getByRole('textbox', { name: 'Message' }).fill(QUESTION);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Add to data set' }).waitFor({ timeout: LONG_MS });
      expect(await page.locator('article').last().innerText()).toContain(FACT);
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Add to data set' }).click();
      await dialog(page).getByRole('combobox', { name: 'Data set' }).fill('release');
      await page.getByRole('option', { name: 'release-codename' }).click();
      expect(await dialog(page).getByLabel('Question').inputValue()).toBe(QUESTION);
      await dialog(page).getByRole('button', { name: 'Add example' }).click();
      await dialog(page).getByText('It is in version 2 of').waitFor();
      await dialog(page).getByRole('button', { name: 'Done' }).click();
    },
    LONG_MS,
  );

  it('answers clients under its alias', async () => {
    const answer = await fetch(`${stack.base_url}/local/codename/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'codename', temperature: 0, messages: [{ role: 'user', content: QUESTION }] }),
    });
    expect(await answer.text()).toContain(`The release codename is ${FACT}.`);
  });

  it('is told in the activity of the account', async () => {
    await open(page, 'Activity');
    await page.getByRole('tab', { name: 'Data sets and training' }).click();
    const log = page.getByRole('table', { name: 'Activity' });
    await log.getByText('Started the job').or(log.getByText('started the job')).first().waitFor();
    await log.getByRole('link', { name: 'release-codename' }).first().waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  it(
    'leads back to its data set, which leads to it',
    async () => {
      await page.goto(`${stack.console_url}/local/data-sets/release-codename?v=1&tab=uses`);
      await page.getByRole('table', { name: 'Uses' }).getByText('Adapter').waitFor();
      expect(browser.faults).toEqual([]);
    },
    LONG_MS,
  );
});
