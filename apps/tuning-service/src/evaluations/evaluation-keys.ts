import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, EVALUATION_KEY_LIFE_S, OpenEvaluationKey, ServiceError } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';

/** A key is renewed when less than this is left of its life, in milliseconds. */
const PROLONG_BELOW_MS = (EVALUATION_KEY_LIFE_S * 1_000) / 2;

interface CachedKey {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Keys with which this service calls the gateway for accounts. They are kept in memory only. */
@Injectable()
export class EvaluationKeys {
  readonly #keys = new Map<AccountId, CachedKey>();
  readonly #pending = new Map<AccountId, Promise<CachedKey>>();

  constructor(private readonly rpc: RpcClient) {}

  /** A key that is valid for at least half of its life. @throws ServiceError `account_not_found`, `unavailable` */
  async keyFor(account: AccountId, actor: Actor | undefined): Promise<string> {
    const cached = this.#keys.get(account);
    if (cached && cached.expiresAt - Date.now() > PROLONG_BELOW_MS) return cached.value;
    let pending = this.#pending.get(account);
    if (!pending) {
      pending = this.#open(account, actor).finally(() => this.#pending.delete(account));
      this.#pending.set(account, pending);
    }
    return (await pending).value;
  }

  /** Drops a key that the gateway refused, unless a newer one has replaced it. */
  forget(account: AccountId, value: string): void {
    if (this.#keys.get(account)?.value === value) this.#keys.delete(account);
  }

  async #open(account: AccountId, actor: Actor | undefined): Promise<CachedKey> {
    for (const [known, { expiresAt }] of this.#keys) if (expiresAt <= Date.now()) this.#keys.delete(known);
    const held = this.#keys.get(account)?.value;
    const request = { account, ...(held !== undefined && { value: held }), ...(actor !== undefined && { actor }) };
    const { value, expires_at: expires } = await this.rpc.call(OpenEvaluationKey, request);
    const known = value ?? held;
    if (known === undefined) throw new ServiceError('internal', 'The answer of a service violates its contract.');
    const key = { value: known, expiresAt: Date.parse(expires) };
    this.#keys.set(account, key);
    return key;
  }
}
