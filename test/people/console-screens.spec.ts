import type { ConsoleMcp, ConsoleMe, ConsoleReply, ConsoleSetup, ConsoleStatus } from '@slipway/contracts';
import { RenameUser, SetAccountLimits } from '@slipway/contracts';
import { SLIPWAY_VERSION } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { Browser } from './browser.js';
import { ConsoleInProcess } from './console-process.js';
import { codeOf } from './console-scene.js';
import { OPS, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let world: PeopleWorld;
let door: ConsoleInProcess;
beforeAll(async () => {
  world = await PeopleWorld.start();
  const settings = { SIGN_INS_PER_MIN: '60', CONSOLE_PROXIES: '1', PUBLIC_BASE_URL: 'http://127.0.0.1:9/' };
  door = await ConsoleInProcess.start(world.keys.bus, settings);
});
afterAll(async () => {
  await door?.end();
  await world?.end();
});

const from = (address: string): Browser => new Browser(door.url, { 'x-forwarded-for': address });
async function signedIn({ email }: Resident): Promise<Browser> {
  const browser = from('192.0.2.1');
  expect((await browser.post('/api/sign-in', { email, password: PASSWORD })).status).toBe(200);
  return browser;
}

describe('before sign-in', () => {
  const setup = (address: string) => from(address).get<ConsoleSetup>('/api/set-up');

  it('a page learns whether there is an owner, no more', async () => {
    expect((await setup('192.0.2.9')).body).toEqual({ has_owner: false });
    const statuses: number[] = [];
    for (let i = 0; i < 30; i += 1) statuses.push((await setup('192.0.2.10')).status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await world.owner();
    expect((await setup('192.0.2.11')).body).toEqual({ has_owner: true });
    for (let i = 0; i < 30; i += 1) expect((await setup('192.0.2.12')).body).toEqual({ has_owner: true });
  });

  it('nothing else is disclosed', async () => {
    for (const path of ['/api/me', '/api/status', '/api/addresses', '/api/mcp/tools']) {
      expect(codeOf(await from('192.0.2.13').get(path))).toEqual([401, 'session_ended']);
    }
  });
});

describe('a signed-in page', () => {
  let owner: Resident;
  let browser: Browser;
  beforeAll(async () => {
    owner = await world.owner();
    browser = await signedIn(owner);
  });

  it('learns who and where it is', async () => {
    const { body } = await browser.get<ConsoleMe>('/api/me');
    expect(body).toEqual({
      ...{ id: owner.user, email: owner.email, name: expect.any(String), has_password: true, session: expect.any(String) },
      ...{ account: owner.account, role: 'owner', memberships: [expect.objectContaining({ role: 'owner' })] },
      ...{ environment: ENV, version: SLIPWAY_VERSION, gateway_url: 'http://127.0.0.1:9' },
    });
  });

  it('learns the budgets and what is used of them', async () => {
    await world.keys.ask(SetAccountLimits, { account: owner.account, limits: { tokens_per_day: 3_000 }, actor: OPS });
    await world.keys.sql(
      `INSERT INTO usage.day (day, account_id, key_id, requests, tokens) VALUES ((now() AT TIME ZONE 'UTC')::date, $1, 1, 24, 3532)`,
      [owner.account],
    );
    const { body } = await browser.post<ConsoleReply<'account-limits/find'>>('/api/account-limits/find', {});
    expect(body).toMatchObject({ limits: { tokens_per_day: 3_000 }, used: { tokens_per_day: 3_532, tokens_per_month: 3_532 } });
  });

  it('sees which services answer', async () => {
    const { body } = await browser.get<ConsoleStatus>('/api/status');
    expect(body).toEqual({ at: expect.any(String), nats: true, keys: true, deployments: false, gateways: false });
  });

  it('lists the tools that agents get', async () => {
    const { body } = await browser.get<ConsoleMcp>('/api/mcp/tools');
    expect([body.url, body.readonly_url]).toEqual([`${door.url}/mcp`, `${door.url}/mcp/readonly`]);
    const access = Object.fromEntries(body.tools.map((tool) => [tool.name, tool.access]));
    expect(access).toMatchObject({ list_deployments: 'read', stop_deployment: 'write', revoke_deployment_key: 'write' });
    expect(body.tools.every(({ title, description }) => title !== '' && description !== '')).toBe(true);
  });

  it('renames its own person alone', async () => {
    const other = await world.owner();
    expect((await browser.post('/api/me/rename', { name: ' Ada ', user: other.user })).body).toEqual({ user: owner.user, name: 'Ada' });
    expect((await browser.get<ConsoleMe>('/api/me')).body.name).toBe('Ada');
    expect(RenameUser.proof).toBe('self');
  });

  it('learns why a new password is refused', async () => {
    const weak = await browser.post('/api/password', { current: PASSWORD, next: 'password12' });
    expect(weak.body.error).toMatchObject({
      code: 'invalid_request',
      param: 'next',
      message: expect.stringContaining('a common password'),
    });
    expect((await browser.post('/api/password', { current: PASSWORD, next: 'another horse battery' })).status).toBe(200);
  });
});
