import { isServiceError, SignIn } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { PASSWORD, PeopleWorld } from '../people-world.js';

const origin = { address: '192.0.2.7', client: 'test browser' };

let world: PeopleWorld;
beforeAll(async () => {
  world = await PeopleWorld.start({}, 'replicaProcess');
});
afterAll(() => world?.end());

describe('attackers from many networks at once', () => {
  it('do not keep known browsers from signing in', async () => {
    const { email, user } = await world.owner();
    const { browser_token: browser } = await world.ask(SignIn, { email, password: PASSWORD, origin });
    let over = false;
    let refused = 0;
    const flood = async (n: number): Promise<void> => {
      while (!over) {
        const address = `2001:db8:${n.toString(16)}::1`;
        const tried = world.console.call(SignIn, { email: `${n}@example.org`, password: 'not the password', origin: { address } });
        await tried.catch((error: unknown) => (refused += isServiceError(error) && error.code === 'unavailable' ? 1 : 0));
      }
    };
    const guessers = Array.from({ length: 80 }, (_, n) => flood(n));
    try {
      await until('attempts are refused because too many wait', () => refused > 20);
      for (let times = 0; times < 5; times += 1) {
        const tokens = await world.console.call({ ...SignIn, timeoutMs: 30_000 }, { email, password: PASSWORD, origin, browser });
        expect(tokens.user).toBe(user);
      }
    } finally {
      over = true;
      await Promise.all(guessers);
    }
  });
});
