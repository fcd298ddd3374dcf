import { type Actor, isServiceError, KeepPlayground, OpenPlayground, PLAYGROUND_KEY_LIFE_S, ServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { SignedIn } from '../sessions/access-tokens.js';

/** A key is renewed when less than this is left of its life, in milliseconds. */
const PROLONG_BELOW_MS = (PLAYGROUND_KEY_LIFE_S * 1_000) / 2;

interface CachedKey {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The session that a key belongs to. */
export interface KeyOwner {
  readonly caller: Pick<SignedIn, 'account' | 'session' | 'proof'>;
  readonly actor: Actor;
}

const nameOf = ({ caller: { account, session } }: KeyOwner): string => `${account} ${session}`;

/** Keys with which the console calls the gateway for sessions. They are kept in memory only. */
export class SessionKeys {
  readonly #keys = new Map<string, CachedKey>();
  readonly #pending = new Map<string, Promise<CachedKey>>();

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly rpc: Pick<RpcClient, 'call' | 'withProof'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Number of keys in memory. */
  get size(): number {
    return this.#keys.size;
  }

  /**
   * A key that is valid for at least half of its life. Concurrent calls of a session share one renewal.
   * @throws ServiceError of `OpenPlayground`, `unavailable`
   */
  async keyFor(owner: KeyOwner): Promise<string> {
    const name = nameOf(owner);
    const cached = this.#keys.get(name);
    if (cached && cached.expiresAt - this.now() > PROLONG_BELOW_MS) return cached.value;
    let pending = this.#pending.get(name);
    if (!pending) {
      pending = this.#renew(name, owner).finally(() => this.#pending.delete(name));
      this.#pending.set(name, pending);
    }
    return (await pending).value;
  }

  /** Drops a key that the gateway refused, unless a newer one has replaced it. */
  forget(owner: KeyOwner, value: string): void {
    const name = nameOf(owner);
    if (this.#keys.get(name)?.value === value) this.#keys.delete(name);
  }

  async #renew(name: string, owner: KeyOwner): Promise<CachedKey> {
    this.#forgetExpired();
    const cached = this.#keys.get(name)?.value;
    const key = (cached === undefined ? null : await this.#prolong(cached)) ?? (await this.#open(owner));
    this.#keys.set(name, key);
    return key;
  }

  /** Prolongs a key, authenticated by the key itself, since the session token may expire during a response. Null when the session has ended. */
  async #prolong(value: string): Promise<CachedKey | null> {
    try {
      const { expires_at: expires } = await this.rpc.call(KeepPlayground, { value });
      return { value, expiresAt: Date.parse(expires) };
    } catch (error) {
      if (isServiceError(error) && error.code === 'session_ended') return null;
      throw error;
    }
  }

  async #open({ caller: { account, session, proof }, actor }: KeyOwner): Promise<CachedKey> {
    const { value, expires_at: expires } = await this.rpc.withProof(proof).call(OpenPlayground, { account, session, actor });
    if (value === null) throw new ServiceError('internal', 'The answer of a service violates its contract.');
    return { value, expiresAt: Date.parse(expires) };
  }

  #forgetExpired(): void {
    for (const [name, { expiresAt }] of this.#keys) if (expiresAt <= this.now()) this.#keys.delete(name);
  }
}
