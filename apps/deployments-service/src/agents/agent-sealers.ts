import type { AgentHeartbeat, Incarnation } from '@slipway/contracts';
import { BoxSealer } from '@slipway/platform';

/** Agents whose sealers are kept. */
const KEPT = 1_024;

/** Seals secrets for agents, with one key agreement for each agent. */
export class AgentSealers {
  readonly #sealers = new Map<Incarnation, { readonly key: string; readonly sealer: BoxSealer }>();

  /** @param clear true where agents without a key get secrets in clear. */
  constructor(private readonly clear: boolean) {}

  /** True for an agent that may be told a secret. */
  mayTell({ key }: Pick<AgentHeartbeat, 'key'>): boolean {
    return key !== undefined || this.clear;
  }

  /**
   * The secret as it may travel to the agent: sealed, or in clear where the operator allows that.
   * @param boundTo what the secret is for; it opens for nothing else.
   * @throws Error when the agent may not be told.
   */
  wrap(agent: Pick<AgentHeartbeat, 'wk' | 'key'>, secret: string, boundTo: string): { sealed: string } | { credential: string } {
    if (agent.key !== undefined) return { sealed: this.#sealerOf(agent.wk, agent.key).seal(secret, boundTo) };
    if (this.clear) return { credential: secret };
    throw new Error('This agent has no key to seal secrets for.');
  }

  #sealerOf(wk: Incarnation, key: string): BoxSealer {
    const known = this.#sealers.get(wk);
    if (known?.key === key) return known.sealer;
    const sealer = new BoxSealer(key);
    this.#sealers.delete(wk);
    this.#sealers.set(wk, { key, sealer });
    const [oldest] = this.#sealers.keys();
    if (oldest !== undefined && this.#sealers.size > KEPT) this.#sealers.delete(oldest);
    return sealer;
  }
}
