import { type ListSessionKeys, ServiceError } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import { type CryptoKey, importJWK } from 'jose';
import type { z } from 'zod';

/** Keys are asked for again after so long: that is how long a revoked key may still verify. In milliseconds. */
const REFRESH_MS = 30_000;
/** An unknown key is asked for so often at most, whoever invents names. In milliseconds. */
const UNKNOWN_EVERY_MS = 1_000;
/** Keys that cannot be asked for are trusted for so long. In milliseconds. */
const TRUSTED_MS = 300_000;

/** A public key as keys-service publishes it. */
export type PublishedKey = z.output<typeof ListSessionKeys.reply>['keys'][number];

/** The public keys of session tokens, as keys-service publishes them. */
export class SessionKeyRing {
  #keys = new Map<string, CryptoKey>();
  #loadedAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  #failing = false;

  /**
   * @param published asks for the keys that are published now
   * @param now milliseconds that only rise
   */
  constructor(
    private readonly published: () => Promise<readonly PublishedKey[]>,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * The key of a token's header; null when there is none. The name is an index into the published keys and nothing else.
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

  /** Who asks meanwhile waits for the same answer. */
  #refresh(): Promise<void> {
    this.#asking ??= this.#tryToLoad().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** A failure leaves the keys that are known, and is told once. */
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
