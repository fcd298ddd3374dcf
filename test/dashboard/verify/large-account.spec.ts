import { ScriptedUpstream } from '@slipway/testing';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../cli/cli-rig.js';
import { type Stack, startStack } from '../../e2e/stack.js';
import { until } from '../../testing/until.js';
import { FRAME_MS, scrollList, tasksWhile } from '../main-thread.js';

const KEYS = 500;
const DEPLOYMENTS = 200;
const LONG_NAME = 'A name of the greatest length that is allowed '.repeat(3).slice(0, 100);
const LONG_ALIAS = `a${'-long-name'.repeat(6)}-x`;
/** The highest row of a list at 1,280 pixels of width, in pixels. */
const ROW_MAX = 48;
/** A task that drops more than two frames, in milliseconds. */
const JANK_MS = 50;

let stack: Stack;
let engine: ScriptedUpstream;
let browser: Browser;
let page: Page;
/** What the page of the owner shows the console. */
let authorization = '';

const numbered = (name: string, n: number): string => `${name}-${String(n).padStart(3, '0')}`;

async function api(call: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization, 'content-type': 'application/json', origin: stack.console_url };
  for (;;) {
    const response = await fetch(`${stack.console_url}/api/${call}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok) return answer;
    // Many writes at once are more than a person may make: what is refused so is asked again.
    if (response.status !== 429 && response.status !== 503) throw new Error(`${call}: ${JSON.stringify(answer)}`);
  }
}

/** Does something so many times, four at once. */
async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: 4 }, one));
}

async function seed(): Promise<void> {
  const quota = ['accounts', 'quota', 'local', `keys=${KEYS + 20}`, `deployments=${DEPLOYMENTS + 20}`, `replicas=${DEPLOYMENTS + 20}`];
  expect((await runCli([...quota, '--data-dir', stack.dataDir])).code).toBe(0);
  const source = { kind: 'http', url: engine.url, model: 'scripted' };
  await times(DEPLOYMENTS - 1, async (n) => {
    const { id: deployment } = await api('deployments/create', { name: n === 7 ? LONG_NAME : numbered('model', n), source, replicas: 1 });
    if (n === 7) await api('aliases/point', { alias: LONG_ALIAS, deployment });
    if (n % 10 === 0) await api('deployments/stop', { deployment });
  });
  await times(KEYS - 1, (n) => api('keys/create', { name: n === 7 ? LONG_NAME : numbered('tenant', n) }));
}

beforeAll(async () => {
  engine = await ScriptedUpstream.start(() => ({ steps: [] }));
  stack = await startStack([], { ENGINE_HOSTS: '127.0.0.1' });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: process.env['CHROMIUM_BIN'] || '/usr/bin/chromium', args });
  page = await browser.newPage({ baseURL: stack.console_url, viewport: { width: 1280, height: 860 } });
  page.on('request', (request) => {
    authorization = request.headers()['authorization'] ?? authorization;
  });
  await page.goto(stack.setup_url ?? '');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Set up and sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await until('the page asks as the owner', () => authorization !== '');
  await seed();
}, 280_000);
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
  await engine?.stop();
});

const LISTS = [
  { path: '/local/api-keys?size=all', name: 'Deployment keys', count: KEYS },
  { path: '/local/deployments?size=all', name: 'Deployments', count: DEPLOYMENTS },
] as const;

async function openList({ path, name, count }: (typeof LISTS)[number]): Promise<Locator> {
  await page.goto(path);
  const table = page.getByRole('table', { name, exact: true });
  await table.locator('[data-row="0"]').waitFor();
  await expect.poll(async () => Number(await table.getAttribute('aria-rowcount')), { timeout: 30_000 }).toBeGreaterThan(count);
  return table;
}

describe.sequential(`an account of ${KEYS} keys and ${DEPLOYMENTS} deployments`, () => {
  it.each(LISTS)('scrolls through its list of $name without long tasks', async (list) => {
    await openList(list);
    let frames: readonly number[] = [];
    const tasks = await tasksWhile(browser, page, async () => {
      frames = await scrollList(page);
    });
    const [slow, late] = [tasks.filter((ms) => ms > FRAME_MS).length, frames.filter((ms) => ms > JANK_MS).length];
    const figures = `longest task ${tasks[0]?.toFixed(1)} ms, ${slow} tasks over a frame; ${late} of ${frames.length} frames over ${JANK_MS} ms`;
    // What other programs take of the machine delays frames, but adds nothing to the time of a task.
    expect(
      tasks.filter((ms) => ms > JANK_MS),
      figures,
    ).toEqual([]);
    expect(slow, figures).toBeLessThanOrEqual(5);
  });

  it.each(LISTS)('keeps the rows of its list of $name low', async (list) => {
    const table = await openList(list);
    await page.getByRole('searchbox', { name: `Search ${list.name}` }).fill('greatest length');
    const row = table.getByRole('row').filter({ hasText: 'A name of the greatest' });
    await row.waitFor();
    expect((await row.boundingBox())?.height).toBeLessThanOrEqual(ROW_MAX);
  });

  it.each([
    ['tenant-487', /\/local\/api-keys\/\d+/],
    ['model-187', /\/local\/deployments\/deployment-\d+/],
  ])('finds %s by name from any screen', async (name, address) => {
    await page.goto('/local/members');
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(name);
    await page.getByRole('option', { name }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(address);
  });
});
