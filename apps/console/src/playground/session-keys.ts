import { type Actor, isServiceError, KeepPlayground, OpenPlayground, PLAYGROUND_KEY_LIFE_S, ServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { SignedIn } from '../sessions/access-tokens.js';

/** A key is prolonged when less is left of it, in milliseconds: what begins with it has this long before it asks again. */
const PROLONG_BELOW_MS = (PLAYGROUND_KEY_LIFE_S * 1_000) / 2;

interface HeldKey {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Whose key it is. */
export interface KeyHolder {
  readonly asking: Pick<SignedIn, 'account' | 'session' | 'proof'>;
  readonly actor: Actor;
}

const nameOf = ({ asking: { account, session } }: KeyHolder): string => `${account} ${session}`;

/** The keys by which this console calls the gateway for its sessions. They are in its memory and nowhere else. */
export class SessionKeys {
  readonly #held = new Map<string, HeldKey>();
  readonly #asked = new Map<string, Promise<HeldKey>>();

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly rpc: Pick<RpcClient, 'call' | 'withProof'>,
    private readonly now: () => number = Date.now,
  ) {}

  get size(): number {
    return this.#held.size;
  }

  /**
   * A key that lives on for a while. Who asks meanwhile gets the same one.
   * @throws ServiceError of `OpenPlayground`, `unavailable`
   */
  async keyFor(holder: KeyHolder): Promise<string> {
    const name = nameOf(holder);
    const held = this.#held.get(name);
    if (held && held.expiresAt - this.now() > PROLONG_BELOW_MS) return held.value;
    let asked = this.#asked.get(name);
    if (!asked) {
      asked = this.#ask(name, holder).finally(() => this.#asked.delete(name));
      this.#asked.set(name, asked);
    }
    return (await asked).value;
  }

  /** Drops a key that opened nothing; another one, made meanwhile, stays. */
  forget(holder: KeyHolder, value: string): void {
    const name = nameOf(holder);
    if (this.#held.get(name)?.value === value) this.#held.delete(name);
  }

  async #ask(name: string, holder: KeyHolder): Promise<HeldKey> {
    this.#forgetExpired();
    const held = this.#held.get(name)?.value;
    const key = (held === undefined ? null : await this.#keep(held)) ?? (await this.#open(holder));
    this.#held.set(name, key);
    return key;
  }

  /** The key itself proves who asks: an answer may take longer than the token that it began with. Null when it is over. */
  async #keep(value: string): Promise<HeldKey | null> {
    try {
      const { expires_at: expires } = await this.rpc.call(KeepPlayground, { value });
      return { value, expiresAt: Date.parse(expires) };
    } catch (error) {
      if (isServiceError(error) && error.code === 'session_ended') return null;
      throw error;
    }
  }

  async #open({ asking: { account, session, proof }, actor }: KeyHolder): Promise<HeldKey> {
    const { value, expires_at: expires } = await this.rpc.withProof(proof).call(OpenPlayground, { account, session, actor });
    if (value === null) throw new ServiceError('internal', 'A service answered against its contract.');
    return { value, expiresAt: Date.parse(expires) };
  }

  #forgetExpired(): void {
    for (const [name, { expiresAt }] of this.#held) if (expiresAt <= this.now()) this.#held.delete(name);
  }
}
