import { type ListSessionKeys, ServiceError } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import { type CryptoKey, importJWK } from 'jose';
import type { z } from 'zod';

/** Refresh interval of the keys, and so the longest time that a revoked key still verifies, in milliseconds. */
const REFRESH_MS = 30_000;
/** Shortest interval of requests for unknown keys, in milliseconds: invented key names must not cause more. */
const UNKNOWN_EVERY_MS = 1_000;
/** Time for which keys stay accepted while they cannot be refreshed, in milliseconds. */
const TRUSTED_MS = 300_000;

/** A public key published by keys-service. */
export type PublishedKey = z.output<typeof ListSessionKeys.reply>['keys'][number];

/** The public keys of session tokens, published by keys-service. */
export class SessionKeyRing {
  #keys = new Map<string, CryptoKey>();
  #loadedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #failing = false;

  /**
   * @param published fetches the published keys
   * @param now monotonic clock in milliseconds
   */
  constructor(
    private readonly published: () => Promise<readonly PublishedKey[]>,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * The key named in a token's header; null = unknown. The name is used only to look up a published key.
   * @throws ServiceError `auth_unavailable` when the published keys are unknown
   */
  async find(kid: string): Promise<CryptoKey | null> {
    const age = this.now() - this.#loadedAt;
    const isUnknown = !this.#keys.has(kid) && this.now() - this.#askedAt > UNKNOWN_EVERY_MS;
    if (age > REFRESH_MS || isUnknown) await this.#refresh();
    if (this.now() - this.#loadedAt > TRUSTED_MS) {
      throw new ServiceError('auth_unavailable', 'Sign-ins cannot be checked right now; try again soon.', { retryAfterS: 2 });
    }
    return this.#keys.get(kid) ?? null;
  }

  /** Concurrent callers share one request. */
  #refresh(): Promise<void> {
    this.#asking ??= this.#tryToLoad().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** A failure keeps the known keys and is logged once. */
  async #tryToLoad(): Promise<void> {
    try {
      await this.#load();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'sessions.keys_unknown');
      this.#failing = true;
    }
  }

  async #load(): Promise<void> {
    this.#askedAt = this.now();
    const keys = await this.published();
    const imported = await Promise.all(keys.map(async (key) => [key.kid, await importJWK(key, key.alg)] as const));
    this.#keys = new Map(imported);
    this.#loadedAt = this.#askedAt;
  }
}
