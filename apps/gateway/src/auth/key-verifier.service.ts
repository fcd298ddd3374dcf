import { timingSafeEqual } from 'node:crypto';
import { type AccountFeedRecord, AccountId, type ApiKeyFeedRecord, KeyId, keyKindOf, ServiceError } from '@slipway/contracts';
import type { Freshness } from '@slipway/feed';
import { macOf, type Pepper, RateBuckets } from '@slipway/platform';
import type { KeyIndex } from './key-index.js';

/** Burst: this many seconds of the sustained rate. */
const BURST_S = 10;

/** Created once, so that guessing keys costs the gateway little. */
const TOO_MANY = new ServiceError('rate_limit_exceeded', 'Too many invalid API keys came from this address; wait, and check the key.', {
  retryAfterS: 1,
});

/** Limits key guessing: above a rate, invalid keys from one address get 429 instead of 401. Valid keys are not affected. */
export class InvalidKeyLimiter {
  readonly #buckets: RateBuckets;

  /** @param perSecond invalid keys per address; 0 = no limit. @param now monotonic clock in milliseconds. */
  constructor(
    private readonly perSecond: number,
    now: () => number,
  ) {
    this.#buckets = new RateBuckets({ perSecond, burst: perSecond * BURST_S, now });
  }

  /** @returns the error itself, or `rate_limit_exceeded` where the address sent too many invalid keys */
  limited(error: ServiceError, address: string | undefined): ServiceError {
    if (error.code !== 'invalid_api_key' || this.perSecond === 0 || this.#buckets.take(address)) return error;
    return TOO_MANY;
  }
}

/** The authenticated caller: an active key and its active account, as they were when the key was checked. */
export interface Caller {
  readonly key: ApiKeyFeedRecord;
  readonly account: AccountFeedRecord;
}

/**
 * Freshness of the key index. `absent`: NATS reports that keys-service is not running, so no key can change, and known keys
 * stay valid for a while. `cut_off`: NATS does not answer, or the time is over, so a revocation could be missed.
 */
export type FeedTrust = 'fresh' | 'absent' | 'cut_off';

/** @param graceMs how long known keys stay valid without keys-service, in milliseconds */
export function trustOf({ state, ageMs }: Freshness, graceMs: number): FeedTrust {
  return state === 'absent' && ageMs > graceMs ? 'cut_off' : state;
}

const JWT = /^ey[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

// Created once: capturing the stack of an error costs more than the rest of the check.
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

/** Checks the form first, which needs neither an HMAC nor a lookup. */
function formFault(text: string): ServiceError | null {
  const kind = keyKindOf(text);
  if (kind === 'dep') return null;
  if (kind === 'mcp') return MCP_KEY;
  return JWT.test(text) ? SESSION_TOKEN : INVALID_KEY;
}

/** Compared with unknown keys, so that they take as long as known ones. */
const UNKNOWN_KEY: ApiKeyFeedRecord = {
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

/** Checks deployment keys in memory. */
export class KeyVerifier {
  constructor(
    private readonly keys: KeyIndex,
    private readonly peppers: readonly Pepper[],
    private readonly trust: () => FeedTrust,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * @returns the caller or the error, which is not thrown because throwing costs half of the check: `invalid_api_key` with one
   *   text for unknown, revoked, rotated, expired and malformed keys, `insufficient_scope` for MCP keys, `auth_unavailable`
   *   when the key index is too old.
   */
  verify(text: string): Caller | ServiceError {
    const fault = formFault(text);
    if (fault) return fault;
    const trust = this.trust();
    if (trust === 'cut_off') return UNAVAILABLE;
    const key = this.#find(text);
    const caller = this.#callerOf(key);
    if (caller) return caller;
    // A key created just before keys-service stopped may not have arrived here.
    return key === UNKNOWN_KEY && trust === 'absent' && !this.#isRevoked(text) ? UNAVAILABLE : INVALID_KEY;
  }

  /** True while the caller's key is valid. Checked again before a stream starts and while it runs. */
  stillValid(caller: Caller): boolean {
    const key = this.keys.key(caller.key.id);
    return key?.mac === caller.key.mac && this.#callerOf(key) !== null;
  }

  /** The error of every invalid key. */
  invalidKey(): ServiceError {
    return INVALID_KEY;
  }

  /** Takes the same time for known and unknown keys, under each pepper, so that timing reveals nothing. */
  #find(text: string): ApiKeyFeedRecord {
    let found = UNKNOWN_KEY;
    for (const pepper of this.peppers) {
      const mac = macOf(text, pepper);
      const key = this.keys.keyByMac(mac.toString('base64url')) ?? UNKNOWN_KEY;
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
