import { nkeys } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { completeSeeds, newUserKey, userJwt, workerSigning } from './identities.js';

describe('userJwt', () => {
  it.each(Array.from({ length: 8 }, (_, n) => n))('has a signature of its issuer (%i)', () => {
    const signing = JSON.parse(workerSigning(completeSeeds())) as { account: string; runner: string };
    const user = newUserKey().public;
    const jwt = userJwt({ name: 'agent-1_x', key: user, expiresAt: 1_900_000_000_000 }, { seed: signing.runner, account: signing.account });
    const [head = '', body = '', signature = ''] = jwt.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { iss: string };
    expect(claims).toMatchObject({ sub: user, name: 'agent-1_x', exp: 1_900_000_000, nats: { issuer_account: signing.account } });
    const issuer = nkeys.fromPublic(claims.iss);
    expect(claims.iss).toBe(nkeys.fromSeed(new TextEncoder().encode(signing.runner)).getPublicKey());
    expect(issuer.verify(Buffer.from(`${head}.${body}`), Buffer.from(signature, 'base64url'))).toBe(true);
  });
});
