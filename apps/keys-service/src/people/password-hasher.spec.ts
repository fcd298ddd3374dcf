import { ServiceError } from '@slipway/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { PasswordHasher } from './password-hasher.js';

describe('passwords', () => {
  const hasher = new PasswordHasher(2);
  let stored: string;
  beforeAll(async () => {
    stored = await hasher.hash('correct horse battery');
  });

  it('are stored as argon2id under a salt of their own', async () => {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await hasher.hash('correct horse battery')).not.toBe(stored);
  });

  it('match what was stored of them, and nothing else', async () => {
    expect(await hasher.matches(stored, 'correct horse battery')).toBe(true);
    expect(await hasher.matches(stored, 'Correct horse battery')).toBe(false);
    expect(await hasher.matches(null, 'correct horse battery')).toBe(false);
  });

  it('are hashed two at a time, whoever else waits', async () => {
    let most = 0;
    const watched = Array.from({ length: 12 }, async () => {
      const matches = hasher.matches(stored, 'x');
      most = Math.max(most, hasher.running);
      await matches;
      most = Math.max(most, hasher.running);
    });
    await Promise.all(watched);
    expect(most).toBe(2);
    expect(hasher.running).toBe(0);
  });

  it('of more people than may wait are refused for the moment, and those who wait are served', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 70 }, () => hasher.matches(stored, 'x')));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as ServiceError] : []));
    expect(refused).toHaveLength(4);
    for (const { code } of refused) expect(code).toBe('unavailable');
    expect(await hasher.matches(stored, 'correct horse battery')).toBe(true);
  }, 30_000);
});
