import type { Incarnation } from '@slipway/contracts';
import type { Agent } from './unit.js';

/** Free memory while units are given out. Agents of one host share its memory, so room taken on one is gone on all. */
export class MemoryLedger {
  readonly #free: Map<Incarnation, number>;

  constructor(private readonly agents: readonly Agent[]) {
    this.#free = new Map(agents.map((agent) => [agent.wk, agent.mem_free]));
  }

  free(agent: Agent): number {
    return this.#free.get(agent.wk) ?? 0;
  }

  take(agent: Agent, bytes: number): void {
    for (const other of this.agents) {
      if (other.host === agent.host) this.#free.set(other.wk, this.free(other) - bytes);
    }
  }
}
