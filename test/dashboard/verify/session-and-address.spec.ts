import { EndSessions } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { OPS, PASSWORD } from '../../people/people-world.js';
import { ENV } from '../../services/bus.js';
import { SignedOutPage } from '../signed-out-page.js';

const stage = SignedOutPage.around();

describe('a sign-in', () => {
  it.each([
    'http://127.0.0.1:1/evil',
    'https://evil.example/',
    '//evil.example/x',
    '/\\evil.example',
    'javascript:alert(document.domain)',
    '/%09/evil.example',
  ])('leads to no other site than ours: %s', async (next) => {
    await stage.page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await stage.fillIn();
    await stage.navigation.waitFor();
    expect(new URL(stage.page.url()).origin).toBe(stage.door.url);
  });

  it('leads on to the whole wanted address', async () => {
    await stage.signIn(`/${stage.home}/api-keys?tab=mcp`);
    await stage.page.getByRole('tab', { name: 'MCP Key', selected: true }).waitFor();
    expect(stage.path).toBe(`/${stage.home}/api-keys`);
  });

  it('after a session ended elsewhere returns there', async () => {
    await stage.signIn(`/${stage.home}/api-keys?tab=mcp`);
    await stage.world.ask(EndSessions, { user: stage.ada.user, actor: OPS });
    await stage.page.getByText('Your session has ended. Sign in again to continue where you left off.').waitFor();
    await stage.fillIn();
    await stage.page.getByRole('tab', { name: 'MCP Key', selected: true }).waitFor();
    expect(stage.path).toBe(`/${stage.home}/api-keys`);
  });

  it('of a new person says nothing of a session', async () => {
    await stage.page.goto(`/${stage.home}/api-keys`);
    await stage.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await stage.page.getByText('Your session has ended').count()).toBe(0);
  });
});

describe('a sign-in by keyboard', () => {
  it('needs nothing but typing', async () => {
    const { page } = stage;
    await page.goto(`/${stage.home}/api-keys`);
    await page.locator('input[type=email]:focus').waitFor();
    await page.keyboard.type(stage.ada.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    expect(stage.path).toBe(`/${stage.home}/api-keys`);
  });
});

describe('the account', () => {
  it('stands in the address; old addresses lead into it', async () => {
    await stage.signIn('/api-keys');
    expect(stage.path).toBe(`/${stage.home}/api-keys`);
    await stage.page.goto('/members?x=1');
    await stage.page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect(stage.path).toBe(`/${stage.home}/members`);
  });

  it('of a tab survives a reload beside other tabs', async () => {
    await stage.signIn();
    const other = await stage.page.context().newPage();
    await other.goto(`/${stage.second}/api-keys`);
    await other.getByRole('button', { name: `Account ${stage.second}` }).waitFor();
    await stage.page.reload();
    await stage.page.getByRole('button', { name: `Account ${stage.home}` }).waitFor();
    expect(stage.path).toBe(`/${stage.home}/api-keys`);
  });

  it('of others is refused inside the navigation', async () => {
    await stage.signIn();
    await stage.page.goto('/nobody-knows/usage');
    await stage.page.getByText('You do not belong to an account “nobody-knows”', { exact: false }).waitFor();
    await stage.navigation.getByRole('link', { name: 'API Keys' }).click();
    await stage.page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    expect(stage.path).toBe(`/${stage.home}/api-keys`);
  });
});

describe('the environment', () => {
  const line = () => stage.page.locator('[data-production]');

  it('stands beside the account, and production in red on every screen', async () => {
    await stage.signIn();
    await stage.page.getByText(ENV, { exact: true }).first().waitFor();
    expect(await line().count()).toBe(0);
    await stage.page.route('**/api/addresses', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), environment: 'prod-eu' } });
    });
    await stage.page.reload();
    await stage.page.getByText('prod-eu', { exact: true }).first().waitFor();
    await stage.navigation.getByRole('link', { name: 'Members' }).click();
    await stage.page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect(await line().count()).toBe(1);
  });
});

describe('a page that is missing', () => {
  it('is shown inside the navigation', async () => {
    await stage.signIn();
    await stage.page.goto(`/${stage.home}/nowhere/at/all`);
    await stage.page.getByText('This page does not exist.').waitFor();
    await stage.navigation.getByRole('link', { name: 'Members' }).click();
    await stage.page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
    expect(stage.path).toBe(`/${stage.home}/members`);
  });

  it('keeps its navigation during an outage and tries again', async () => {
    await stage.signIn();
    await stage.page.route('**/api/refresh', (route) =>
      route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'The database does not answer.' } } }),
    );
    await stage.page.reload();
    await stage.page.getByText('The database does not answer. Retrying every 5 seconds.').waitFor();
    expect(await stage.navigation.isVisible()).toBe(true);
    await stage.page.unroute('**/api/refresh');
    await stage.page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  });

  it('is not shown for a lost refresh, which is repeated', async () => {
    await stage.signIn();
    let lost = 0;
    await stage.page.route('**/api/refresh', async (route) => {
      lost += 1;
      if (lost > 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await stage.page.reload();
    await stage.page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    expect(lost).toBe(3);
  });
});
