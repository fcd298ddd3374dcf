import { KEY_PROOF_TYPE, keyProofAudience, ServiceError, SessionId, sessionAudience, sessionIssuer } from '@slipway/contracts';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { FeedLiveness } from './followed-proofs.js';
import { ProofReader } from './proof-reader.js';
import { SessionKeyRing } from './session-key-ring.js';
import { VoidSessions } from './void-sessions.js';

const ENV = 'test';
const SESSION = SessionId.parse('Zm9yLXRoZS1nb2xkZW4tMQ');
const CLAIMS = { sub: '7', sid: SESSION, acct: 1, role: 'owner', ver: 1 };

interface Forgery {
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
  readonly key?: CryptoKey;
}

describe('ProofReader', () => {
  let own: { privateKey: CryptoKey; publicKey: CryptoKey };
  let foreign: { privateKey: CryptoKey; publicKey: CryptoKey };
  let published: { kid: string; kty: 'OKP'; crv: 'Ed25519'; x: string; alg: 'EdDSA' }[];
  let asked: number;
  let warned: number;
  let service: 'up' | 'down';
  let voided: VoidSessions;
  let freshness: { state: 'fresh' | 'absent' | 'cut_off'; ageMs: number };
  let clock: number;
  let tokens: ProofReader;

  beforeAll(async () => {
    [own, foreign] = await Promise.all([generateKeyPair('EdDSA', { extractable: true }), generateKeyPair('EdDSA', { extractable: true })]);
  });

  const open = async (): Promise<void> => {
    const { x = '' } = await exportJWK(own.publicKey);
    published = [{ kid: 'k1', kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA' }];
    [asked, warned, service, clock] = [0, 0, 'up', 0];
    const warn = (): void => void (warned += 1);
    const ask = (): Promise<typeof published> => {
      asked += 1;
      return service === 'up' ? Promise.resolve(published) : Promise.reject(new ServiceError('unavailable', 'Down.'));
    };
    voided = new VoidSessions();
    freshness = { state: 'fresh', ageMs: 0 };
    const keys = new SessionKeyRing(ask, { warn } as never, () => clock);
    const sessions = new FeedLiveness(voided, () => freshness);
    tokens = new ProofReader({ env: ENV, keys, sessions });
  };

  const now = (): number => Math.floor(Date.now() / 1_000);
  const sign = ({ header = {}, claims = {}, key = own.privateKey }: Forgery = {}): Promise<string> =>
    new SignJWT({ iss: sessionIssuer(ENV), aud: sessionAudience(ENV), iat: now(), exp: now() + 600, ...CLAIMS, ...claims })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1', ...header })
      .sign(key);
  const codeOf = (token: string): Promise<string | null> =>
    tokens.read(token).then(
      () => null,
      (error: unknown) => (error as ServiceError).code,
    );

  it('reads who calls from a token', async () => {
    await open();
    expect(await tokens.read(await sign())).toEqual({
      kind: 'person',
      user: 7,
      session: SESSION,
      account: 1,
      isSuspended: false,
      role: 'owner',
    });
  });

  it.each<[string, Forgery]>([
    ['of another environment', { claims: { iss: sessionIssuer('prod') } }],
    ['for another audience', { claims: { aud: 'slipway:test:gateway' } }],
    ['without audience', { claims: { aud: undefined } }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['without type', { header: { typ: undefined } }],
    ['that has expired', { claims: { exp: now() - 60 } }],
    ['without expiry', { claims: { exp: undefined } }],
    ['that would live for a day', { claims: { iat: now() - 3_600, exp: now() + 86_400 } }],
    ['not yet good', { claims: { nbf: now() + 600 } }],
    ['without session', { claims: { sid: undefined } }],
    ['without a person', { claims: { sub: 'admin' } }],
    ['with an invented role', { claims: { role: 'root' } }],
    ['of an unknown key', { header: { kid: 'k2' } }],
    ['without the name of its key', { header: { kid: undefined } }],
    ['with an unknown critical header', { header: { crit: ['x'], x: 1 } }],
  ])('refuses %s', async (_, forgery) => {
    await open();
    const token = await sign(forgery).catch(() => 'not even signed');
    expect(await codeOf(token)).toBe('session_ended');
  });

  it('refuses tokens of other keys', async () => {
    await open();
    const jwk = await exportJWK(foreign.publicKey);
    for (const header of [{}, { jwk }, { jku: 'https://evil.example.com/keys' }, { x5u: 'https://evil.example.com/keys' }]) {
      expect(await codeOf(await sign({ key: foreign.privateKey, header }))).toBe('session_ended');
    }
  });

  it('refuses unsigned tokens and symmetric algorithms', async () => {
    await open();
    const claims = { iss: sessionIssuer(ENV), aud: sessionAudience(ENV), ...CLAIMS };
    const none = new UnsecuredJWT(claims).setIssuedAt().setExpirationTime('10m').encode();
    const typed = `${Buffer.from('{"alg":"none","typ":"at+jwt","kid":"k1"}').toString('base64url')}.${none.split('.')[1] ?? ''}.`;
    const secret = Buffer.from(published[0]?.x ?? '', 'base64url');
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'k1' })
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(secret);
    for (const token of [none, typed, hmac, '', 'x', 'a.b.c', `${await sign()}x`]) expect(await codeOf(token)).toBe('session_ended');
  });

  it('refuses tokens of ended sessions', async () => {
    await open();
    const token = await sign();
    voided.put(`session:${SESSION}`, { id: SESSION, ver: 2, ended: false, until: Date.now() + 600_000 });
    expect(await codeOf(token)).toBe('session_ended');
    expect(await codeOf(await sign({ claims: { ver: 2 } }))).toBeNull();
    voided.put(`session:${SESSION}`, { id: SESSION, ver: 3, ended: true, until: Date.now() + 600_000 });
    expect(await codeOf(await sign({ claims: { ver: 2 } }))).toBe('session_ended');
  });

  it('accepts tokens only briefly without keys-service', async () => {
    await open();
    const token = await sign();
    for (const [state, ageMs, code] of [
      ['absent', 299_000, null],
      ['absent', 301_000, 'auth_unavailable'],
      ['cut_off', 3_001, 'auth_unavailable'],
    ] as const) {
      freshness = { state, ageMs };
      expect([state, ageMs, await codeOf(token)]).toEqual([state, ageMs, code]);
    }
  });

  it('accepts new keys and ignores invented ones', async () => {
    await open();
    await tokens.read(await sign());
    published = [{ ...published[0]!, kid: 'k2' }];
    clock += 2_001;
    expect(await codeOf(await sign({ header: { kid: 'k2' } }))).toBeNull();
    expect(await codeOf(await sign())).toBe('session_ended');
    const before = asked;
    for (let i = 0; i < 1_000; i += 1) await codeOf(await sign({ header: { kid: `invented-${i}` } }));
    expect(asked - before).toBe(0);
  });

  it('refuses revoked keys after 30 seconds', async () => {
    await open();
    const token = await sign();
    await tokens.read(token);
    service = 'down';
    clock += 299_000;
    expect(await codeOf(token)).toBeNull();
    clock += 2_000;
    expect(await codeOf(token)).toBe('auth_unavailable');
    expect(warned).toBe(1);
    service = 'up';
    published = [];
    expect(await codeOf(token)).toBe('session_ended');
  });

  it('verifies an unchanged token once', async () => {
    await open();
    const token = await sign();
    for (let i = 0; i < 3; i += 1) expect(await codeOf(token)).toBeNull();
    expect(asked).toBe(1);
    const [head, , signature] = token.split('.');
    const [, body] = (await sign({ claims: { sub: '8' } })).split('.');
    expect(await codeOf(`${head}.${body}.${signature}`)).toBe('session_ended');
  });

  it('refuses a verified token after its expiry', async () => {
    await open();
    let late = 0;
    const keys = new SessionKeyRing(
      () => Promise.resolve(published),
      { warn: () => undefined } as never,
      () => clock,
    );
    const reader = new ProofReader({ env: ENV, keys, sessions: { require: () => undefined }, now: () => Date.now() + late });
    const token = await sign();
    expect(await reader.read(token)).toMatchObject({ user: 7 });
    late = 606_000;
    await expect(reader.read(token)).rejects.toMatchObject({ code: 'session_ended' });
  });

  it('keeps key proofs and persons apart', async () => {
    await open();
    const claims = { aud: keyProofAudience(ENV), sub: '9', acct: 1, scope: 'read', sid: undefined, role: undefined, ver: undefined };
    const token = await sign({ header: { typ: KEY_PROOF_TYPE }, claims });
    expect(await tokens.read(token)).toEqual({ kind: 'key', key: 9, account: 1, scope: 'read' });
    await expect(tokens.readPerson(token)).rejects.toMatchObject({ code: 'session_ended' });
  });

  it.each<[string, Forgery]>([
    ['a session token under the type of keys', { header: { typ: KEY_PROOF_TYPE } }],
    ['a key proof under the type of sessions', { claims: { aud: keyProofAudience(ENV), scope: 'write' } }],
    ['a key proof with an invented scope', { header: { typ: KEY_PROOF_TYPE }, claims: { aud: keyProofAudience(ENV), scope: 'all' } }],
  ])('refuses a key proof as %s', async (_, forgery) => {
    await open();
    expect(await codeOf(await sign(forgery))).toBe('session_ended');
  });
});
