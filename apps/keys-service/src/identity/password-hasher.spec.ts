import { ServiceError } from '@slipway/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD_COST, PasswordHasher } from './password-hasher.js';

describe('passwords', () => {
  const hasher = new PasswordHasher(PASSWORD_COST, 2);
  /** Of the same queue, for tests that fill it. */
  const quick = new PasswordHasher({ memoryCost: 1_024, timeCost: 1, parallelism: 1 }, 2);
  const unknown = { group: 'unknown', key: '192.0.2.0/24' } as const;
  let [stored, cheap] = ['', ''];
  beforeAll(async () => {
    [stored, cheap] = [await hasher.hash('correct horse battery', unknown), await quick.hash('correct horse battery', unknown)];
  });

  it('are stored as argon2id with their own salt', async () => {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await hasher.hash('correct horse battery', unknown)).not.toBe(stored);
  });

  it('match only their own stored hash', async () => {
    expect(await hasher.matches(stored, 'correct horse battery', unknown)).toBe(true);
    expect(await hasher.matches(stored, 'Correct horse battery', unknown)).toBe(false);
    expect(await hasher.matches(null, 'correct horse battery', unknown)).toBe(false);
  });

  it('are hashed two at a time at most', async () => {
    let most = 0;
    const watched = Array.from({ length: 12 }, async () => {
      const matches = quick.matches(cheap, 'x', unknown);
      most = Math.max(most, quick.running);
      await matches;
      most = Math.max(most, quick.running);
    });
    await Promise.all(watched);
    expect(most).toBe(2);
    expect(quick.running).toBe(0);
  });

  it('are refused when too many sign-ins already wait', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => quick.matches(cheap, 'x', unknown)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as ServiceError] : []));
    expect(refused).toHaveLength(4);
    for (const { code } of refused) expect(code).toBe('unavailable');
    expect(await quick.matches(cheap, 'correct horse battery', unknown)).toBe(true);
  }, 30_000);

  it.each([
    ['of known people', { group: 'known', key: 'ada@example.com' }, (n: number) => `198.51.${n}.0/24`],
    ['from a quiet network', { group: 'unknown', key: '203.0.113.0/24' }, () => '198.51.100.0/24'],
  ] as const)(
    '%s are checked while others fill the queue',
    async (_, lane, networkOf) => {
      const done: string[] = [];
      const flood = Array.from({ length: 200 }, (_none, n) =>
        quick.matches(cheap, 'x', { group: 'unknown', key: networkOf(n) }).then(
          () => void done.push('flood'),
          () => undefined,
        ),
      );
      const mine = quick.matches(cheap, 'correct horse battery', lane).then((same) => done.push('mine') && same);
      expect(await mine).toBe(true);
      // It starts after the two that ran already; the system decides how many of the other thread end before it. 66 fill the queue.
      expect(done.indexOf('mine')).toBeLessThan(33);
      await Promise.all(flood);
      expect(quick.running).toBe(0);
    },
    30_000,
  );
});
