import type { AgentHeartbeat, Incarnation } from '@slipway/contracts';
import type { Target, WrittenState } from './target.js';
import { type Assignments, loadsOf, type UnitKey, unitKey } from './unit.js';

/** An agent that was lost and comes back within this time still has what it was given, in milliseconds. */
const RETURN_MS = 600_000;

interface Given {
  readonly units: ReadonlySet<UnitKey>;
  /** The agent's key; undefined while it was not heard of, or where it has none. */
  readonly key: string | undefined;
  readonly heardAt: number;
}

/**
 * True where the stored state says that the agent was given the deployment. Older versions stored no names: then any agent may
 * have it, unless it was never placed.
 */
export function isNamed({ agents, state }: Pick<WrittenState, 'agents' | 'state'>, wk: string): boolean {
  return agents === null ? state !== 'pending' : agents.includes(wk);
}

/**
 * Which units each agent was given by this placer. What an agent reports of others counts for nothing: it could
 * take over any deployment, or spoil its state, by naming it.
 */
export class GivenUnits {
  readonly #given = new Map<Incarnation, Given>();

  /** Takes over what a placer before this one gave, as it is stored. */
  restore(targets: readonly Target[], agents: readonly AgentHeartbeat[], now: number): void {
    const units = new Map<Incarnation, Set<UnitKey>>();
    for (const { dep, revisions, written } of targets) {
      const named =
        written.agents ?? agents.filter((agent) => isNamed(written, agent.wk) && loadsOf(agent, dep).length > 0).map(({ wk }) => wk);
      for (const wk of named as Incarnation[]) {
        const own = units.get(wk) ?? new Set();
        units.set(wk, own);
        for (const { rev } of revisions) own.add(unitKey({ dep, rev }));
      }
    }
    for (const [wk, own] of units) this.#given.set(wk, { units: own, key: undefined, heardAt: now });
  }

  /** The agents, each with its loads of units that it was given. */
  believed(agents: readonly AgentHeartbeat[]): AgentHeartbeat[] {
    return agents.map((agent) => {
      const units = this.#unitsOf(agent);
      // Loads are indexed by the list that holds them: one that needs no change stays the same.
      if (agent.loads.every((load) => units.has(unitKey(load)))) return agent;
      return { ...agent, loads: agent.loads.filter((load) => units.has(unitKey(load))) };
    });
  }

  /** @param agents as `believed` gave them: what they still have of former assignments was given, too. */
  note(assignments: Assignments, agents: readonly AgentHeartbeat[], now: number): void {
    for (const { wk, key, loads } of agents) {
      const assigned = assignments.get(wk) ?? new Set<UnitKey>();
      const left = loads.map(unitKey).filter((unit) => !assigned.has(unit));
      this.#given.set(wk, { units: left.length > 0 ? new Set([...assigned, ...left]) : assigned, key, heardAt: now });
    }
    for (const [wk, { heardAt }] of this.#given) if (now - heardAt > RETURN_MS) this.#given.delete(wk);
  }

  /** Whoever takes the name of an agent that is gone has another key, and nothing of what that agent was given. */
  #unitsOf({ wk, key }: AgentHeartbeat): ReadonlySet<UnitKey> {
    const given = this.#given.get(wk);
    return given && (given.key === undefined || given.key === key) ? given.units : new Set();
  }
}
