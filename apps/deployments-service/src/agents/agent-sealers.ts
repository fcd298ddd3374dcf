import type { AgentHeartbeat, Incarnation } from '@slipway/contracts';
import { BoxSealer } from '@slipway/platform';

/** Most agents whose sealers are kept. */
const KEPT = 1_024;

/** Seals secrets for agents. The key agreement with each agent is made once. */
export class AgentSealers {
  readonly #sealers = new Map<Incarnation, { readonly key: string; readonly sealer: BoxSealer }>();

  /** @param clear true if agents without a key get secrets unsealed */
  constructor(private readonly clear: boolean) {}

  /** True if secrets may be sent to the agent. */
  canReceiveSecrets({ key }: Pick<AgentHeartbeat, 'key'>): boolean {
    return key !== undefined || this.clear;
  }

  /**
   * The fields that carry a secret to an agent: sealed, or unsealed where the operator allows that.
   * @param boundTo purpose of the secret; the sealed text opens for this purpose only
   * @throws Error when secrets may not be sent to the agent
   */
  wrap(agent: Pick<AgentHeartbeat, 'wk' | 'key'>, secret: string, boundTo: string): { sealed: string } | { credential: string } {
    if (agent.key !== undefined) return { sealed: this.#sealerOf(agent.wk, agent.key).seal(secret, boundTo) };
    if (this.clear) return { credential: secret };
    throw new Error('This agent has no key to seal secrets with.');
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
