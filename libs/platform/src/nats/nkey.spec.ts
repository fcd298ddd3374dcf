import { nkeys } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { Nkey } from './nkey.js';

const KINDS = { operator: nkeys.createOperator, account: nkeys.createAccount, user: nkeys.createUser };
const ROUNDS = Array.from({ length: 4 }, (_, n) => n);
const seedOf = (pair: ReturnType<typeof nkeys.createUser>): string => new TextDecoder().decode(pair.getSeed());

describe('Nkey', () => {
  it.each(Object.entries(KINDS))('has the public key that the NATS client derives for an %s', (_, create) => {
    for (const _round of ROUNDS) {
      const pair = create();
      expect(new Nkey(seedOf(pair)).public).toBe(pair.getPublicKey());
    }
  });

  it('signs what the NATS client verifies', () => {
    const pair = nkeys.createUser();
    const signature = Buffer.from(new Nkey(seedOf(pair)).sign('nonce'), 'base64url');
    expect(pair.verify(Buffer.from('nonce'), signature)).toBe(true);
    expect(pair.verify(Buffer.from('other'), signature)).toBe(false);
  });

  it('refuses what is no seed', () => {
    const pair = nkeys.createUser();
    const seed = seedOf(pair);
    const other = seed.endsWith('A') ? 'B' : 'A';
    const damaged = ROUNDS.map((n) => seed.slice(0, 20 + n) + (seed[20 + n] === 'A' ? 'B' : 'A') + seed.slice(21 + n));
    for (const text of [
      '',
      seed.slice(1),
      `${seed}A`,
      seed.toLowerCase(),
      pair.getPublicKey(),
      seed.slice(0, 50) + other.repeat(8),
      ...damaged,
    ])
      expect(() => new Nkey(text)).toThrow(TypeError);
  });
});
