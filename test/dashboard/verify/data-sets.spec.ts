import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from '../console-browser.js';
import { DataSetsStage } from '../data-sets-stage.js';
import { dialog } from '../screen.js';

const stage = DataSetsStage.around();

const line = (n: number): string =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `Question ${n}` },
      { role: 'assistant', content: `Answer ${n}` },
    ],
  });
const BROKEN = '{"messages":[{"role":"user","content":"Hi"},{"role":"bot","content":"Ho"}]}';
/** 150 good lines, and one that is not: few enough to go on without it. */
const FILE = [...Array.from({ length: 150 }, (_, n) => line(n + 1)), BROKEN].join('\n');

const fileOf = (name: string, text: string): { name: string; mimeType: string; buffer: Buffer } => ({
  name,
  mimeType: 'application/jsonl',
  buffer: Buffer.from(text),
});

async function saved(page: Page, act: () => Promise<void>): Promise<[string, string]> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
}

/** Makes a data set of a file in the dialog. */
async function upload(page: Page, name: string, text: string): Promise<void> {
  await page.goto(`/${stage.page.home}/data-sets`);
  await page.getByRole('button', { name: 'New data set' }).click();
  await dialog(page)
    .getByLabel('Choose a file')
    .setInputFiles(fileOf(`${name}.jsonl`, text));
  await dialog(page).getByRole('button', { name: 'Create data set' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

describe('a file with a broken line', () => {
  it('is uploaded, repaired and read, all in the browser', async () => {
    const { page } = stage.page;
    await stage.page.signIn();
    await upload(page, 'support', FILE);
    await page.getByText('Needs repair').first().waitFor();
    await page.getByRole('tab', { name: /^Problems/ }).waitFor();
    await page.getByRole('table', { name: 'Problems' }).getByText('role "bot" is none of').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const [name, rejected] = await saved(page, () => page.getByRole('button', { name: 'Download the rejected lines' }).click());
    expect([name, rejected.trim()]).toEqual(['support-v1-rejected.jsonl', BROKEN]);
    await page.getByRole('button', { name: 'Continue without the broken examples' }).click();
    await page.getByRole('list', { name: 'Examples' }).getByText('Answer 1', { exact: true }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Version' }).innerText()).toContain('v2');
    expect(stage.page.path).toBe(`/${stage.page.home}/data-sets/support`);
  }, 120_000);

  it('becomes a new version when an example is edited or removed', async () => {
    const { page } = stage.page;
    await stage.page.signIn();
    await page.goto(`/${stage.page.home}/data-sets/support`);
    await page.getByRole('button', { name: 'Edit example 1', exact: true }).click();
    const field = dialog(page).getByLabel('Example');
    await field.fill((await field.inputValue()).replace('Answer 1', 'A better answer'));
    await dialog(page).getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByRole('combobox', { name: 'Version' }).getByText('v3').waitFor();
    await page.getByRole('searchbox', { name: 'Search examples' }).fill('better answer');
    await page.getByRole('list', { name: 'Examples' }).getByText('A better answer').waitFor();
    await page.getByRole('checkbox', { name: 'Example 150' }).check();
    await page.getByRole('button', { name: 'Remove selected' }).click();
    await page.getByRole('combobox', { name: 'Version' }).getByText('v4').waitFor();
    await page.goto(`/${stage.page.home}/data-sets/support?diff=2`);
    await page.getByText('Removed').waitFor();
    expect(new URL(page.url()).searchParams.get('diff')).toBe('2');
  }, 120_000);
});

describe('an upload', () => {
  it('goes on after a reload with the same file, and no other', async () => {
    const { page } = stage.page;
    await stage.page.signIn();
    const text = Array.from({ length: 20_000 }, (_, n) => line(n)).join('\n');
    let isCut = true;
    await page.route('**/uploads/*', (route) =>
      isCut && route.request().method() === 'PATCH' ? route.abort('connectionreset') : route.continue(),
    );
    await upload(page, 'large', text);
    await page.waitForURL(/upload=/);
    await page.reload();
    await page.getByText('was interrupted').waitFor();
    isCut = false;
    const again = page.getByLabel('Choose the file again');
    await again.setInputFiles(fileOf('large.jsonl', `${text}\n${line(1)}`));
    await page.getByText('This is not the file that was begun').waitFor();
    await page.reload();
    await again.setInputFiles(fileOf('large.jsonl', text));
    await page.getByRole('list', { name: 'Examples' }).getByText('Answer 0', { exact: true }).waitFor({ timeout: 60_000 });
    expect(new URL(page.url()).search).not.toContain('upload=');
  }, 180_000);
});

describe('the sample', () => {
  it('is one click away in an account without data sets, and goes by name', async () => {
    const { page } = stage.page;
    await stage.page.signIn();
    for (const name of ['support', 'large']) {
      await page.goto(`/${stage.page.home}/data-sets/${name}`);
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog(page).getByLabel(`Type ${name} to confirm`).fill(name);
      await dialog(page).getByRole('button', { name: 'Delete data set' }).click();
      await page.waitForURL(/\/data-sets$/);
    }
    await page.getByRole('button', { name: 'Try the sample' }).click();
    await page.getByRole('list', { name: 'Examples' }).getByText('Blue Heron').first().waitFor();
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('heading', { name: 'Length of examples in characters' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  it('gets its next version from the URL of an allowed host', async () => {
    const { page } = stage.page;
    await stage.page.signIn();
    stage.imported = Array.from({ length: 12 }, (_, n) => line(n)).join('\n');
    await page.goto(`/${stage.page.home}/data-sets/release-codename`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Import a version from a URL' }).click();
    await dialog(page).getByLabel('URL').fill('https://elsewhere.example/train.jsonl');
    await dialog(page).getByRole('button', { name: 'Import' }).click();
    await dialog(page).getByText('may not be imported from elsewhere.example').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await dialog(page).getByLabel('URL').fill(`${stage.filesUrl}/train.jsonl`);
    await dialog(page).getByRole('button', { name: 'Import' }).click();
    await page.getByRole('list', { name: 'Examples' }).getByText('Answer 11', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Version' }).getByText('v2').waitFor();
  }, 120_000);
});
