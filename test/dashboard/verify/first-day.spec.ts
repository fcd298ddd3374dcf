import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../../e2e/stack.js';
import { axeFaults, ConsoleBrowser } from '../console-browser.js';
import { faultsOfScreens } from '../every-screen.js';
import { createKey, menuOf, stop } from '../first-day-steps.js';
import { answered, askOne, askTwo, callTool, codeOfLast, rawOfLast } from '../playground-steps.js';
import { choose, dialog, open, storeSecret } from '../screen.js';

const OWNER = { email: 'ada@example.com', password: 'correct horse battery' };
const VIEWER = { email: 'vera@example.com', password: 'staple battery horse' };

let stack: Stack;
let browser: ConsoleBrowser;
let ada: Page;
beforeAll(async () => {
  stack = await startStack();
  browser = await ConsoleBrowser.start(stack.console_url);
  ada = await browser.person({ permissions: ['clipboard-read', 'clipboard-write'] });
}, 240_000);
afterAll(async () => {
  await browser?.end();
  await stack?.stop();
});

const ask = (key: string, path = stack.alias): Promise<Response> =>
  fetch(`${stack.base_url}/${path}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: path.split('/').at(-1), max_tokens: 8, messages: [{ role: 'user', content: 'Who are you?' }] }),
  });

async function statusOf(key: string): Promise<number> {
  const response = await ask(key);
  await response.body?.cancel();
  return response.status;
}

describe.sequential('a first day with the dashboard', () => {
  it('the set-up link makes the first owner, once', async () => {
    await ada.goto(stack.setup_url ?? '');
    expect(await axeFaults(ada)).toEqual([]);
    await ada.getByLabel('Email').fill(OWNER.email);
    await ada.getByLabel('Your name').fill('Ada');
    await ada.getByLabel('Password').fill('short');
    await ada.getByRole('button', { name: 'Set up and sign in' }).click();
    await ada.getByText('A password has at least 10 characters.').waitFor();
    await ada.getByLabel('Password').fill(OWNER.password);
    await ada.getByRole('button', { name: 'Set up and sign in' }).click();
    await ada.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    // What npm start asked before is no request of hers.
    await ada.locator('[aria-current=step]').getByText('Send the first request').waitFor();

    const late = await browser.person();
    await late.goto(stack.setup_url ?? '');
    await late.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await late.context().close();
  });

  it('a reload goes on with the session, and no script can read what keeps it', async () => {
    await ada.reload();
    await ada.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(await ada.evaluate('document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).not.toMatch(
      /ey[\w-]+\.|refresh/,
    );
  });

  it('a key that is created opens the deployment, its rotated value does not, and revoked it opens nothing', async () => {
    await open(ada, 'API Keys');
    const first = await createKey(ada, 'Website');
    await expect.poll(() => statusOf(first), { timeout: 30_000 }).toBe(200);

    await menuOf(ada, 'Website', 'Access');
    await dialog(ada).getByRole('radio', { name: 'Selected deployments' }).check();
    await dialog(ada).getByRole('combobox', { name: 'Deployments' }).fill('svc');
    await ada.keyboard.press('Enter');
    await dialog(ada).getByRole('button', { name: 'Remove svc-tiny.Q8_0' }).waitFor();
    await ada.getByRole('listbox').waitFor({ state: 'detached' });
    expect(await axeFaults(ada)).toEqual([]);
    await dialog(ada).getByRole('button', { name: 'Save' }).click();
    await dialog(ada).waitFor({ state: 'detached' });
    await menuOf(ada, 'Website', 'Limits');
    await dialog(ada).getByLabel('Requests per minute').fill('1000');
    expect(await axeFaults(ada)).toEqual([]);
    await dialog(ada).getByRole('button', { name: 'Save' }).click();
    await ada.getByRole('row', { name: /Website .*svc-tiny\.Q8_0 .*Limited/ }).waitFor();

    await menuOf(ada, 'Website', 'Rotate');
    await dialog(ada).getByRole('button', { name: 'Rotate key' }).click();
    const second = await dialog(ada).getByLabel('Key', { exact: true }).inputValue();
    await storeSecret(ada);
    expect(second).not.toBe(first);
    await expect.poll(() => statusOf(first), { timeout: 30_000 }).toBe(401);
    await expect.poll(() => statusOf(second), { timeout: 30_000 }).toBe(200);

    await menuOf(ada, 'Website', 'Revoke');
    const revoke = dialog(ada).getByRole('button', { name: 'Revoke key' });
    await expect.poll(() => revoke.isDisabled(), { timeout: 30_000 }).toBe(true);
    await dialog(ada).getByLabel('Type Website to confirm').fill('Website');
    await revoke.click();
    await dialog(ada).waitFor({ state: 'detached' });
    await expect.poll(() => statusOf(second), { timeout: 30_000 }).toBe(401);
    expect(await ada.getByRole('row', { name: /^Select Website/ }).count()).toBe(0);
    await ada.getByRole('button', { name: 'Filter by State' }).click();
    await ada.getByRole('checkbox', { name: /^Revoked/ }).check();
    await ada.keyboard.press('Escape');
    await ada.getByRole('row', { name: /Website .*Revoked/ }).waitFor();
  });

  it('two keys of one name differ, get another expiry, are revoked together', async () => {
    await ada.goto('/local/api-keys?q=temporary');
    await createKey(ada, 'Temporary');
    await ada.getByRole('button', { name: 'Create API key' }).first().click();
    await dialog(ada).getByLabel('Name').fill('temporary ');
    await dialog(ada).getByText('has this name too').waitFor();
    await dialog(ada).getByRole('button', { name: 'Create key' }).click();
    await storeSecret(ada);

    await menuOf(ada, 'temporary', 'Expiry');
    await choose(dialog(ada).getByLabel('Expires'), 'Custom date');
    await dialog(ada).getByLabel('Last day (UTC)').fill('2020-01-01');
    await dialog(ada).getByRole('button', { name: 'Save' }).click();
    await dialog(ada).getByText('Choose a day in the future.').waitFor();
    await choose(dialog(ada).getByLabel('Expires'), 'Never');
    await dialog(ada).getByRole('button', { name: 'Save' }).click();
    await ada.getByRole('row', { name: /temporary .*Never Never/ }).waitFor();

    await ada.getByRole('checkbox', { name: 'Select the rows of this page' }).check();
    await ada.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Revoke' }).click();
    await dialog(ada).getByText('No requests in the last hour.').waitFor();
    expect(await axeFaults(ada)).toEqual([]);
    await dialog(ada).getByRole('button', { name: 'Revoke 2 keys' }).click();
    await dialog(ada).waitFor({ state: 'detached' });
    await ada.getByText('Nothing matches the search and filters.').waitFor();
  });

  it('the MCP key comes with settings to paste, and is in them only while it is shown', async () => {
    await ada.getByRole('tab', { name: 'MCP Key' }).click();
    await ada.getByRole('heading', { name: 'MCP Configuration' }).waitFor();
    expect(await ada.getByRole('region', { name: 'Run once' }).textContent()).toContain('YOUR_MCP_KEY');
    await ada.getByRole('button', { name: 'Create MCP key' }).click();
    const value = await dialog(ada).getByLabel('Key', { exact: true }).inputValue();
    expect(value).toMatch(/^svc_mcp_/);
    await dialog(ada).getByRole('button', { name: 'Test the connection' }).click();
    await dialog(ada).getByText('The MCP server accepts this key.').waitFor();
    expect(await dialog(ada).getByRole('region', { name: 'Run once' }).textContent()).toContain(
      `${stack.console_url}/mcp --header "Authorization: Bearer ${value}"`,
    );
    await dialog(ada).getByRole('button', { name: 'Read-only' }).click();
    expect(await dialog(ada).getByRole('region', { name: 'Run once' }).textContent()).toContain(`${stack.console_url}/mcp/readonly `);
    expect(await axeFaults(ada)).toEqual([]);
    await storeSecret(ada);
    expect(await ada.content()).not.toContain(value);
    // The test of the page itself is no use of the key.
    await ada.getByText('Last client').waitFor();
    expect(
      await ada
        .getByRole('definition')
        .filter({ hasText: /^None$/ })
        .count(),
    ).toBe(1);
    await ada.getByRole('button', { name: 'MCP Configuration' }).click();
    await dialog(ada).getByRole('tab', { name: 'Cursor' }).click();
    expect(await dialog(ada).getByRole('link', { name: 'Add to Cursor' }).getAttribute('href')).toMatch(/^cursor:/);
    await ada.keyboard.press('Escape');
    await dialog(ada).waitFor({ state: 'detached' });
  });

  it('a deployment is stopped, resumed and given an alias, and the screen follows without a reload', async () => {
    const key = stack.key ?? '';
    await open(ada, 'Deployments');
    await ada.getByRole('link', { name: 'svc-tiny.Q8_0' }).click();
    await stop(ada);
    await ada.getByRole('button', { name: 'Resume' }).waitFor();
    await expect.poll(() => statusOf(key), { timeout: 30_000 }).toBe(409);
    await ada.getByRole('button', { name: 'Resume' }).click();
    await ada.getByText('Ready', { exact: true }).first().waitFor({ timeout: 60_000 });
    await expect.poll(() => statusOf(key), { timeout: 30_000 }).toBe(200);

    await ada.getByRole('tab', { name: 'Settings' }).click();
    await ada.getByLabel('Add an alias').fill('second');
    await ada.getByRole('button', { name: 'Point it here' }).click();
    await ada.getByText('local/second', { exact: true }).waitFor();
    await expect.poll(async () => (await ask(key, 'local/second')).status, { timeout: 30_000 }).toBe(200);
  });

  it('another deployment is created from a model that is here, and deleted by typing its slug', async () => {
    await open(ada, 'Deployments');
    await ada.getByRole('link', { name: 'Create deployment' }).click();
    const next = ada.getByRole('button', { name: 'Continue' });
    await next.click();
    await next.click();
    await ada.getByText('Choose a model, or enter the path').waitFor();
    await ada.getByRole('radio', { name: /^svc-tiny/ }).check();
    await next.click();
    await ada.getByText('Fits now.').first().waitFor();
    await next.click();
    await ada.getByLabel('Name', { exact: true }).fill('Second one');
    await ada.getByLabel('Alias (optional)').fill('demo');
    const create = ada.getByRole('button', { name: 'Create deployment' });
    await create.click();
    await ada.getByText('This alias points at deployment-1.').waitFor();
    await ada.getByLabel('Alias (optional)').fill('');
    await create.click();
    await ada.getByRole('heading', { level: 1, name: 'Second one' }).waitFor();
    await stop(ada);
    await ada.getByText('Stopped', { exact: true }).first().waitFor({ timeout: 60_000 });
    await ada.getByRole('button', { name: 'More actions' }).click();
    await ada.getByRole('menuitem', { name: 'Delete' }).click();
    const confirm = dialog(ada).getByRole('button', { name: 'Delete deployment' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog(ada).getByLabel('Type deployment-2').fill('deployment-2');
    await confirm.click();
    await ada.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor();
    await expect.poll(() => ada.getByText('Second one', { exact: true }).count(), { timeout: 30_000 }).toBe(0);
  });

  it('the playground answers in both contracts, beside another deployment, and shows what went over the line', async () => {
    await open(ada, 'Playground');
    await askOne(ada);
    expect(await axeFaults(ada)).toEqual([]);
    await askTwo(ada);
    const code = await codeOfLast(ada, 'Python');
    expect(code).toContain(`Anthropic(base_url="${stack.base_url}/${stack.alias}"`);
    expect(code).toContain('max_tokens=60');
    expect(await rawOfLast(ada)).toContain('event: message_stop');
    expect(await ada.content()).not.toMatch(/svc_dep_[0-9A-Za-z]{10}/);
  });

  it('the playground calls a tool, and goes on with what it gave back', async () => {
    await callTool(ada);
    const temperature = ada.getByRole('textbox', { name: 'Temperature' });
    await temperature.fill('9');
    await temperature.blur();
    expect(await temperature.inputValue()).toBe('2');
    expect(await axeFaults(ada)).toEqual([]);
    await temperature.fill('');
  });

  it('the playground says why no answer comes, and keeps the question for another try', async () => {
    await ada.getByRole('button', { name: 'New conversation' }).click();
    await ada.context().setOffline(true);
    await ada.getByLabel('Message').fill('Who are you?');
    await ada.keyboard.press('Enter');
    await ada.getByRole('article').getByText('The console cannot be reached.').waitFor();
    await ada.context().setOffline(false);
    await ada.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => answered(ada), { timeout: 30_000 }).toBe(1);
  });

  it('usage appears, and equals what was asked', async () => {
    await open(ada, 'Usage');
    await choose(ada.getByLabel('Split by'), 'By key');
    const table = ada.getByRole('table', { name: 'Usage by key' });
    // Answered with 200: by the first value, by the second one.
    await expect
      .poll(
        () =>
          table
            .getByRole('row', { name: /Website/ })
            .getByRole('cell')
            .nth(1)
            .textContent(),
        { timeout: 60_000 },
      )
      .toBe('2');
    // Two in one conversation and one beside it, the two of the tool, the one after the outage.
    const played = table
      .getByRole('row', { name: /Playground/ })
      .getByRole('cell')
      .nth(1);
    await expect.poll(() => played.textContent(), { timeout: 60_000 }).toBe('6');
  });

  it('an invited viewer sees deployments and may change nothing', async () => {
    await open(ada, 'Members');
    await ada.getByRole('button', { name: 'Invite', exact: true }).click();
    await dialog(ada).getByLabel('Email').fill(VIEWER.email);
    await dialog(ada).getByRole('radio', { name: 'Viewer' }).click();
    await dialog(ada).getByRole('button', { name: 'Create invitation' }).click();
    const link = await dialog(ada).getByLabel('Link').inputValue();
    await dialog(ada).getByRole('button', { name: 'Done' }).click();

    const vera = await browser.person();
    await vera.goto(link);
    await vera.getByLabel('Password').fill(VIEWER.password);
    await vera.getByRole('button', { name: 'Join and sign in' }).click();
    await vera.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await open(vera, 'Deployments');
    await vera.getByRole('link', { name: 'svc-tiny.Q8_0' }).waitFor();
    expect(await vera.getByRole('link', { name: 'Create deployment' }).count()).toBe(0);
    expect(await vera.getByRole('link', { name: 'Activity' }).count()).toBe(0);
    await open(vera, 'Playground');
    await vera.getByText('viewers cannot send requests').waitFor();
    expect(await vera.getByLabel('Message').count()).toBe(0);
    await vera.getByRole('button', { name: 'profile menu' }).click();
    await vera.getByRole('menuitem', { name: 'Sign out' }).click();
    await vera.getByRole('heading', { name: 'Sign in' }).waitFor();
    await vera.getByLabel('Email').fill(VIEWER.email);
    await vera.getByLabel('Password').fill('not the password');
    await vera.getByRole('button', { name: 'Sign in' }).click();
    await vera.getByRole('alert').waitFor();
    await vera.context().close();
  });

  it('what was done is in the activity, that of deployments too', async () => {
    await open(ada, 'Activity');
    await ada.getByRole('row', { name: /Ada revoked the key Website/ }).waitFor();
    await ada.getByRole('tab', { name: 'Deployments' }).click();
    const stops = ada.getByRole('row', { name: /Ada stopped the deployment/ });
    // One of the demo deployment, one of the second.
    await expect.poll(() => stops.count(), { timeout: 30_000 }).toBe(2);
  });

  it('without a network the screen says so and keeps what it knows', async () => {
    await open(ada, 'Deployments');
    await ada.context().setOffline(true);
    await ada.getByText('You are offline.').waitFor();
    await ada.getByText('Live paused: as of').waitFor({ timeout: 60_000 });
    expect(await ada.getByRole('link', { name: 'svc-tiny.Q8_0' }).count()).toBe(1);
    await ada.context().setOffline(false);
    await expect.poll(() => ada.getByText('Live paused: as of').count(), { timeout: 60_000 }).toBe(0);
  });

  it('every screen passes axe, light and dark, and fits a phone', async () => {
    expect(await faultsOfScreens(ada)).toEqual([]);
  }, 300_000);

  it('no screen broke the content security policy or threw', () => {
    expect(browser.faults).toEqual([]);
  });
});
