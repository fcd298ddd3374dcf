import { type Actor, OpenPlayground, PLAYGROUND_KEY_LIFE_S, ServiceError } from '@slipway/contracts';
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
  readonly asking: Pick<SignedIn, 'account' | 'session'>;
  readonly actor: Actor;
}

const nameOf = ({ asking: { account, session } }: KeyHolder): string => `${account} ${session}`;

/** The keys by which this console calls the gateway for its sessions. They are in its memory and nowhere else. */
export class SessionKeys {
  readonly #held = new Map<string, HeldKey>();
  readonly #asked = new Map<string, Promise<HeldKey>>();

  /** @param now milliseconds since the epoch */
  constructor(
    private readonly rpc: Pick<RpcClient, 'call'>,
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

  async #ask(name: string, { asking: { account, session }, actor }: KeyHolder): Promise<HeldKey> {
    this.#forgetExpired();
    const held = this.#held.get(name)?.value;
    const reply = await this.rpc.call(OpenPlayground, { account, session, actor, ...(held !== undefined && { value: held }) });
    const value = reply.value ?? held;
    if (value === undefined) throw new ServiceError('internal', 'A service answered against its contract.');
    const key = { value, expiresAt: Date.parse(reply.expires_at) };
    this.#held.set(name, key);
    return key;
  }

  #forgetExpired(): void {
    for (const [name, { expiresAt }] of this.#held) if (expiresAt <= this.now()) this.#held.delete(name);
  }
}
