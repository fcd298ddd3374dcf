import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type AccountFeedRecord, type AccountId, type ApiKeyFeedRecord, formatKey, type KeyKind, ServiceError } from '@slipway/contracts';
import { macOf, parsePeppers } from '@slipway/platform';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyIndex } from './key-index.js';
import { type Caller, type FeedTrust, KeyVerifier, trustOf } from './key-verifier.service.js';

const [current, old] = parsePeppers(`current:${'11'.repeat(32)},old:${'22'.repeat(32)}`);
const [foreign] = parsePeppers(`current:${'33'.repeat(32)}`);
const NOW = 1_700_000_000_000;

const keyText = (seed: string, kind: KeyKind = 'dep'): string => formatKey(kind, createHash('sha256').update(seed).digest());
const account = { type: 'account', id: 1, slug: 'acme', state: 'active' } as AccountFeedRecord;
const record = (text: string, changes: Partial<ApiKeyFeedRecord> = {}, pepper = current): ApiKeyFeedRecord =>
  ({
    type: 'key',
    id: 5,
    account: 1,
    kind: 'dep',
    mac: macOf(text, pepper!).toString('base64url'),
    pepper: pepper!.id,
    state: 'active',
    expires: null,
    deployments: null,
    ...changes,
  }) as ApiKeyFeedRecord;

describe('a key', () => {
  let index: KeyIndex;
  let trust: FeedTrust;
  let verifier: KeyVerifier;
  const good = keyText('good');

  beforeEach(() => {
    index = new KeyIndex();
    trust = 'fresh';
    verifier = new KeyVerifier(
      index,
      [current!, old!],
      () => trust,
      () => NOW,
    );
    index.put('account:1', account);
    index.put('key:5', record(good));
  });

  const refusal = (text: string): ServiceError => {
    const verdict = verifier.verify(text);
    if (verdict instanceof ServiceError) return verdict;
    throw new Error('The key was accepted.');
  };
  const callerOf = (text: string): Caller => {
    const verdict = verifier.verify(text);
    if (verdict instanceof ServiceError) throw verdict;
    return verdict;
  };

  it('that is known opens its account', () => {
    expect(callerOf(good)).toMatchObject({ key: { id: 5 }, account: { slug: 'acme' } });
  });

  it('is found under every active pepper', () => {
    const text = keyText('before the pepper changed');
    index.put('key:6', record(text, { id: 6 as never }, old));
    expect(callerOf(text).key.id).toBe(6);
  });

  const unknown = keyText('unknown');
  const causes: [string, () => string][] = [
    ['unknown', () => unknown],
    ['malformed', () => 'svc_dep_short'],
    ['of a wrong checksum', () => `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`],
    ['10 kB long', () => 'svc_dep_'.padEnd(10_240, 'x')],
    ['empty', () => ''],
    ['SQL', () => "' OR 1=1 --"],
    ['two keys in one value', () => `${good}, ${good}`],
    ['revoked', () => (index.put('key:5', record(good, { state: 'revoked' })), good)],
    ['rotated away', () => (index.put('key:5', record(keyText('rotated'))), good)],
    ['removed', () => (index.remove('key:5'), good)],
    ['expired', () => (index.put('key:5', record(good, { expires: NOW })), good)],
    ["a suspended account's", () => (index.put('account:1', { ...account, state: 'suspended' }), good)],
    ['of another environment', () => (index.put('key:5', record(good, {}, foreign)), good)],
    ['of an MCP record', () => (index.put('key:5', record(good, { kind: 'mcp' })), good)],
  ];
  it.each(causes)('that is %s gets the same error as others', (_, prepare) => {
    const expected = refusal(keyText('the reference'));
    const error = refusal(prepare());
    expect({ code: error.code, message: error.message }).toEqual({ code: expected.code, message: expected.message });
    expect(error.code).toBe('invalid_api_key');
  });

  it('that expires later still opens', () => {
    index.put('key:5', record(good, { expires: NOW + 1 }));
    expect(callerOf(good).key.id).toBe(5);
  });

  it('for the MCP server is rejected by its form', () => {
    expect(refusal(keyText('mcp', 'mcp')).code).toBe('insufficient_scope');
  });

  it('that is a session token gets its own message', () => {
    const error = refusal('eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl');
    expect(error.code).toBe('invalid_api_key');
    expect(error.message).toMatch(/session token/i);
  });

  it('stays valid without keys-service, unknown ones get 503', () => {
    trust = 'absent';
    expect(callerOf(good).key.id).toBe(5);
    expect(refusal(unknown).code).toBe('auth_unavailable');
  });

  it('that was revoked stays invalid without keys-service', () => {
    index.put('key:5', record(good, { state: 'revoked' }));
    trust = 'absent';
    expect(refusal(good).code).toBe('invalid_api_key');
    index.remove('key:5');
    expect(refusal(good).code).toBe('auth_unavailable');
  });

  it('gets 503 while the gateway is cut off', () => {
    trust = 'cut_off';
    expect(refusal(good).code).toBe('auth_unavailable');
    expect(refusal(unknown).code).toBe('auth_unavailable');
    expect(refusal('malformed').code).toBe('invalid_api_key');
  });

  it('ends by revocation, rotation or suspension of its account', () => {
    const caller = callerOf(good);
    expect(verifier.stillValid(caller)).toBe(true);
    index.put('key:5', record(keyText('rotated')));
    expect(verifier.stillValid(caller)).toBe(false);
    index.put('key:5', record(good));
    index.put('account:1', { ...account, state: 'suspended' });
    expect(verifier.stillValid(caller)).toBe(false);
  });
});

/** Notes what is looked up, in turn. */
class NotingIndex extends KeyIndex {
  readonly lookUps: string[] = [];

  override keyByMac(mac: string): ApiKeyFeedRecord | undefined {
    this.lookUps.push('keyByMac');
    return super.keyByMac(mac);
  }

  override isRevoked(mac: string): boolean {
    this.lookUps.push('isRevoked');
    return super.isRevoked(mac);
  }

  override account(id: AccountId): AccountFeedRecord | undefined {
    this.lookUps.push('account');
    return super.account(id);
  }
}

/** How often `act` hashes, twice for each MAC, and compares. Named imports of a built-in module see a spy only once they are synced. */
function cryptoWorkOf(act: () => void): { readonly hashes: number; readonly comparisons: number } {
  const hashed = vi.spyOn(crypto, 'hash');
  const compare = vi.spyOn(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  try {
    act();
    return { hashes: hashed.mock.calls.length, comparisons: compare.mock.calls.length };
  } finally {
    hashed.mockRestore();
    compare.mockRestore();
    syncBuiltinESMExports();
  }
}

describe('the refusal of a key', () => {
  it.each<[string, Partial<ApiKeyFeedRecord> | null, typeof current]>([
    ['is unknown', null, current],
    ['was revoked', { state: 'revoked' }, current],
    ['was revoked under an older pepper', { state: 'revoked' }, old],
    ['is of another environment', {}, foreign],
    ['expired', { expires: NOW - 1 }, current],
    ['expired under an older pepper', { expires: NOW - 1 }, old],
  ])('costs the same whether or not it %s', (_case, changes, pepper) => {
    const index = new NotingIndex();
    const verifier = new KeyVerifier(
      index,
      [current!, old!],
      () => 'fresh',
      () => NOW,
    );
    index.put('account:1', account);
    const text = keyText('refused');
    if (changes) index.put('key:5', record(text, changes, pepper));
    const work = cryptoWorkOf(() => expect(verifier.verify(text)).toBe(verifier.invalidKey()));
    expect(index.lookUps).toEqual(['keyByMac', 'keyByMac']);
    expect(work).toEqual({ hashes: 4, comparisons: 2 });
  });
});

describe('trust in the key feed', () => {
  it('lasts the grace time without keys-service', () => {
    expect(trustOf({ state: 'absent', ageMs: 300_000 }, 300_000)).toBe('absent');
    expect(trustOf({ state: 'absent', ageMs: 300_001 }, 300_000)).toBe('cut_off');
    expect(trustOf({ state: 'absent', ageMs: 1 }, 0)).toBe('cut_off');
  });

  it('does not last before the first snapshot', () => {
    expect(trustOf({ state: 'absent', ageMs: Number.POSITIVE_INFINITY }, 300_000)).toBe('cut_off');
  });

  it('follows the feed state otherwise', () => {
    expect(trustOf({ state: 'fresh', ageMs: 10 }, 0)).toBe('fresh');
    expect(trustOf({ state: 'cut_off', ageMs: 4_000 }, 300_000)).toBe('cut_off');
  });
});
