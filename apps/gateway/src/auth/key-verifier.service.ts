import { timingSafeEqual } from 'node:crypto';
import { AccountId, type ApiKeyFeedRecord, KeyId, keyKindOf, ServiceError } from '@slipway/contracts';
import type { Caller } from './caller.js';
import type { FeedTrust } from './feed-trust.js';
import type { KeyIndex } from './key-index.js';
import { macOf, type Pepper } from '@slipway/platform';

const JWT = /^ey[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

// Made once: an error notes where it was made, which costs more than everything else that a refusal does.
const INVALID_KEY = new ServiceError(
  'invalid_api_key',
  'The API key is not valid. Send a deployment key (svc_dep_…) as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
);
const UNAVAILABLE = new ServiceError('auth_unavailable', 'The API key cannot be checked right now; try again soon.', { retryAfterS: 2 });

const MCP_KEY = new ServiceError(
  'insufficient_scope',
  'An MCP key (svc_mcp_…) opens the MCP server only. Use a deployment key (svc_dep_…) here.',
);
const SESSION_TOKEN = new ServiceError(
  'invalid_api_key',
  'A session token opens no inference endpoint. Use a deployment key (svc_dep_…) here.',
);

/** Form first: what fails here costs neither an HMAC nor a look-up. */
function formFault(text: string): ServiceError | null {
  const kind = keyKindOf(text);
  if (kind === 'dep') return null;
  if (kind === 'mcp') return MCP_KEY;
  return JWT.test(text) ? SESSION_TOKEN : INVALID_KEY;
}

/** What a key that is unknown is compared with. */
const NOBODY: ApiKeyFeedRecord = {
  type: 'key',
  id: KeyId.parse(1),
  account: AccountId.parse(1),
  kind: 'dep',
  mac: Buffer.alloc(32).toString('base64url'),
  pepper: '',
  state: 'revoked',
  expires: null,
  deployments: null,
};

/** Decides whether a text is a deployment key that may call. Everything happens in memory. */
export class KeyVerifier {
  constructor(
    private readonly keys: KeyIndex,
    private readonly peppers: readonly Pepper[],
    private readonly trust: () => FeedTrust,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @returns who calls; else the refusal, for throwing one costs what half of the check does: `invalid_api_key` (one wording
   *   for unknown, revoked, rotated, expired and malformed keys), `insufficient_scope` for MCP keys, `auth_unavailable` when
   *   the index is too old to tell.
   */
  verify(text: string): Caller | ServiceError {
    const fault = formFault(text);
    if (fault) return fault;
    const trust = this.trust();
    if (trust === 'cut_off') return UNAVAILABLE;
    const key = this.#find(text);
    const caller = this.#callerOf(key);
    if (caller) return caller;
    // A key that was made while the service is absent would be unknown here too.
    return key === NOBODY && trust === 'absent' && !this.#isRevoked(text) ? UNAVAILABLE : INVALID_KEY;
  }

  /** True while the key behind `caller` may still call: asked again before work starts and while it runs. */
  stillValid(caller: Caller): boolean {
    const key = this.keys.key(caller.key.id);
    return key?.mac === caller.key.mac && this.#callerOf(key) !== null;
  }

  /** The refusal of every key that opens nothing. */
  invalidKey(): ServiceError {
    return INVALID_KEY;
  }

  /** Unknown keys cost what known ones do, under whichever pepper: nothing can be read from how long a refusal takes. */
  #find(text: string): ApiKeyFeedRecord {
    let found = NOBODY;
    for (const pepper of this.peppers) {
      const mac = macOf(text, pepper);
      const key = this.keys.keyByMac(mac.toString('base64url')) ?? NOBODY;
      const isSame = timingSafeEqual(Buffer.from(key.mac, 'base64url'), mac);
      if (isSame && key.pepper === pepper.id) found = key;
    }
    return found;
  }

  #isRevoked(text: string): boolean {
    return this.peppers.some((pepper) => this.keys.isRevoked(macOf(text, pepper).toString('base64url')));
  }

  #callerOf(key: ApiKeyFeedRecord): Caller | null {
    if (key.kind !== 'dep' || key.state !== 'active') return null;
    if (key.expires !== null && key.expires <= this.now()) return null;
    const account = this.keys.account(key.account);
    return account?.state === 'active' ? { key, account } : null;
  }
}
