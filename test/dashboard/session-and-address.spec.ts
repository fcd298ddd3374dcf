import { AcceptInvitation, CreateInvitation, EndSessions } from '@slipway/contracts';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConsoleInProcess } from '../people/console-process.js';
import { as, OPS, PASSWORD, PeopleWorld, type Resident } from '../people/people-world.js';
import { ConsoleBrowser } from './console-browser.js';

let world: PeopleWorld;
let door: ConsoleInProcess;
let browser: ConsoleBrowser;
/** Owns one account and belongs to a second one. */
let ada: Resident;
let [home, second]: [string, string] = ['', ''];
let page: Page;

beforeAll(async () => {
  world = await PeopleWorld.start();
  door = await ConsoleInProcess.start(world.keys.bus, { SIGN_INS_PER_MIN: '100000' });
  browser = await ConsoleBrowser.start(door.url);
  ada = await world.owner();
  const other = await world.owner();
  const { token } = await world.ask(CreateInvitation, {
    account: other.account,
    email: ada.email,
    role: 'member',
    actor: as(other.user),
  });
  await world.ask(AcceptInvitation, { token, password: PASSWORD, origin: { address: '192.0.2.7' } });
  [home, second] = [ada.tokens.slug, other.tokens.slug];
}, 120_000);
afterAll(async () => {
  await browser?.end();
  await door?.end();
  await world?.end();
});
beforeEach(async () => {
  page = await browser.person();
});
afterEach(() => page.context().close());

async function fillIn(): Promise<void> {
  await page.getByLabel('Email').fill(ada.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

async function signIn(path = `/${home}/api-keys`): Promise<void> {
  await page.goto(path);
  await fillIn();
  await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
}

const pathOf = (): string => new URL(page.url()).pathname;
const navigation = (): ReturnType<Page['getByRole']> => page.getByRole('navigation', { name: 'Main' });

describe('a sign-in', () => {
  it.each([
    'http://127.0.0.1:1/evil',
    'https://evil.example/',
    '//evil.example/x',
    '/\\evil.example',
    'javascript:alert(document.domain)',
    '/%09/evil.example',
  ])('leads to no other site, whatever the address says: %s', async (next) => {
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await fillIn();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(new URL(page.url()).origin).toBe(door.url);
  });

  it('leads on to where somebody wanted to go, with all of the address', async () => {
    await signIn(`/${home}/api-keys?tab=mcp`);
    await page.getByRole('tab', { name: 'MCP Key', selected: true }).waitFor();
    expect(pathOf()).toBe(`/${home}/api-keys`);
  });

  it('after the session was ended elsewhere goes on where one was, and says why it was asked for', async () => {
    await signIn(`/${home}/api-keys?tab=mcp`);
    await world.ask(EndSessions, { user: ada.user, actor: OPS });
    await page.getByText('Your session is over. Sign in again to go on where you were.').waitFor();
    await fillIn();
    await page.getByRole('tab', { name: 'MCP Key', selected: true }).waitFor();
    expect(pathOf()).toBe(`/${home}/api-keys`);
  });

  it('after a reload of an ended session says why, and goes on there', async () => {
    await signIn();
    await page.goto('about:blank');
    await world.ask(EndSessions, { user: ada.user, actor: OPS });
    await page.goto(`/${home}/api-keys`);
    await page.getByText('Your session is over. Sign in again to go on where you were.').waitFor();
    await fillIn();
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    expect(pathOf()).toBe(`/${home}/api-keys`);
  });

  it('of nobody who was here before says nothing of a session', async () => {
    await page.goto(`/${home}/api-keys`);
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await page.getByText('Your session is over').count()).toBe(0);
  });
});

describe('the account', () => {
  it('stands in the address, and addresses of before lead into it', async () => {
    await signIn('/api-keys');
    expect(pathOf()).toBe(`/${home}/api-keys`);
    await page.goto('/members?x=1');
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect(pathOf()).toBe(`/${home}/members`);
  });

  it('of a tab survives a reload, whatever another tab works in', async () => {
    await signIn();
    const other = await page.context().newPage();
    await other.goto(`/${second}/api-keys`);
    await other.getByRole('button', { name: new RegExp(`^${second},`) }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: new RegExp(`^${home},`) }).waitFor();
    expect(pathOf()).toBe(`/${home}/api-keys`);
  });

  it('changes in a tab only where somebody says so', async () => {
    await signIn();
    await page.getByRole('button', { name: new RegExp(`^${home},`) }).click();
    await page.getByRole('menuitem', { name: `Switch to ${second}` }).click();
    await page.waitForURL(`**/${second}/deployments`);
    await page.goBack();
    await page.getByText(`You are in “${second}”; this belongs to “${home}”.`).waitFor();
    await page.getByRole('button', { name: `Switch to ${home}` }).click();
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    await page.getByRole('button', { name: new RegExp(`^${home},`) }).waitFor();
    expect(pathOf()).toBe(`/${home}/api-keys`);
  });

  it('of others is named as such, with the navigation around it', async () => {
    await signIn();
    await page.goto('/nobody-knows/usage');
    await page.getByText('You do not belong to an account “nobody-knows”', { exact: false }).waitFor();
    await navigation().getByRole('link', { name: 'API Keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    expect(pathOf()).toBe(`/${home}/api-keys`);
  });
});

describe('a page that is not there', () => {
  it('is shown inside the navigation', async () => {
    await signIn();
    await page.goto(`/${home}/nowhere/at/all`);
    await page.getByText('There is nothing at this address.').waitFor();
    await navigation().getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect(pathOf()).toBe(`/${home}/members`);
  });

  it('because the console cannot say who is signed in keeps its navigation and is tried again by itself', async () => {
    await signIn();
    await page.route('**/api/refresh', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'The database does not answer.' } } }),
    );
    await page.reload();
    await page.getByText('The database does not answer. It is tried again every 5 seconds.').waitFor();
    expect(await navigation().isVisible()).toBe(true);
    await page.unroute('**/api/refresh');
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  });

  it('is not shown for a refresh whose answer was lost: the page asks again', async () => {
    await signIn();
    let lost = 0;
    await page.route('**/api/refresh', async (route) => {
      lost += 1;
      if (lost > 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    expect(lost).toBe(3);
  });
});
