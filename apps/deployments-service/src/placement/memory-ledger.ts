import type { Incarnation } from '@slipway/contracts';
import { type Agent, loadOf, type Unit } from './unit.js';

/**
 * Free memory while units are given out. An agent counts what its own ready models take; what it was
 * not told yet, and what other agents of its host take, is counted here.
 */
export class MemoryLedger {
  readonly #free: Map<Incarnation, number>;

  constructor(private readonly agents: readonly Agent[]) {
    this.#free = new Map(agents.map((agent) => [agent.wk, agent.mem_free]));
  }

  free(agent: Agent): number {
    return this.#free.get(agent.wk) ?? 0;
  }

  /** The unit is, or will be, on the agent. */
  take(agent: Agent, unit: Unit): void {
    const ready = loadOf(agent, unit)?.state === 'ready';
    this.#subtract(agent, ready ? 0 : unit.bytes);
    for (const other of this.agents) {
      // A loaded model's mapped file counts as available to everybody but its own agent.
      if (other.wk !== agent.wk && other.host === agent.host) this.#subtract(other, ready ? unit.mapped : unit.bytes);
    }
  }

  #subtract(agent: Agent, bytes: number): void {
    this.#free.set(agent.wk, this.free(agent) - bytes);
  }
}
