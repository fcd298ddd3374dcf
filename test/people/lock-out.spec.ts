import { ChangePassword, ListAudit, type SessionTokens, SignIn } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { as, PASSWORD, PeopleWorld, type Resident } from './people-world.js';

let world: PeopleWorld;
let owner: Resident;
beforeAll(async () => {
  world = await PeopleWorld.start();
  owner = await world.owner();
});
afterAll(() => world?.end());

const origin = { address: '192.0.2.7', client: 'test browser' };
const signIn = ({ email }: Pick<Resident, 'email'> = owner): Promise<SessionTokens> =>
  world.ask(SignIn, { email, password: PASSWORD, origin });

describe('an attacker who tries passwords', () => {
  const elsewhere = (n: number): { address: string; client: string } => ({ address: `198.51.${n}.1`, client: 'guesser' });
  const guess = (email: string, n: number): Promise<string | undefined> =>
    world.code(SignIn, { email, password: 'not the password', origin: elsewhere(n) });

  it('locks out only their own network', async () => {
    const { email, user, tokens } = await world.owner();
    for (let n = 0; n < 11; n += 1) await guess(email, 1);
    expect(await world.code(SignIn, { email, password: PASSWORD, origin: elsewhere(1) })).toBe('rate_limit_exceeded');
    expect((await signIn({ email })).user).toBe(user);
    const change = { session: tokens.session, user, current: PASSWORD, next: `${PASSWORD}2`, origin: elsewhere(1) };
    expect(await world.code(ChangePassword, change)).toBeUndefined();
  });

  it('from many networks locks out all unknown browsers', async () => {
    const { email, user } = await world.owner();
    const { browser_token: browser } = await signIn({ email });
    for (let n = 0; n < 6; n += 1) await Promise.all(Array.from({ length: 9 }, () => guess(email, n)));
    expect(await world.code(SignIn, { email, password: PASSWORD, origin })).toBe('rate_limit_exceeded');
    expect((await world.ask(SignIn, { email, password: PASSWORD, origin, browser })).user).toBe(user);
    const foreign = (await signIn()).browser_token;
    expect(await world.code(SignIn, { email, password: PASSWORD, origin, browser: foreign })).toBe('rate_limit_exceeded');
  });

  it('is in the audit log, once per network', async () => {
    const { email, user, account } = await world.owner();
    for (let n = 0; n < 15; n += 1) await guess(email, 7);
    const failed = await until('both are written', async () => {
      const { entries } = await world.ask(ListAudit, { account, actor: as(user) });
      const found = entries.filter(({ action }) => action.startsWith('session.') && action !== 'session.sign_in');
      return found.some(({ action }) => action === 'session.locked_out') && found;
    });
    expect(failed.map(({ action, object, address }) => [action, object, address])).toEqual([
      ['session.locked_out', `user:${user}`, '198.51.7.1'],
      ['session.sign_in_failed', `user:${user}`, '198.51.7.1'],
    ]);
  });
});
