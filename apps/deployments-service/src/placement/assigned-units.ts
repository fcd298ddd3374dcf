import type { AgentHeartbeat, Incarnation } from '@slipway/contracts';
import type { Target, WrittenState } from './target.js';
import { type Assignments, type LiveAgent, loadsOf, type UnitKey, unitKey } from './unit.js';

/** How long the assignment of a lost agent is remembered, in milliseconds: it may come back with its loads. */
const RETURN_MS = 600_000;

interface Entry {
  readonly units: ReadonlySet<UnitKey>;
  /** The agent's key; undefined before its first heartbeat, or where it has none. */
  readonly key: string | undefined;
  readonly seenAt: number;
}

/**
 * True if the stored state assigns the deployment to the agent. Older versions stored no names: then any agent counts, unless
 * the deployment was never placed.
 */
export function isAssignedTo({ agents, state }: Pick<WrittenState, 'agents' | 'state'>, wk: string): boolean {
  return agents === null ? state !== 'pending' : agents.includes(wk);
}

/**
 * The units that this placer assigned to each agent. Loads that an agent reports of other units are ignored; otherwise it could
 * take over any deployment, or change its state, by reporting it.
 */
export class AssignedUnits {
  readonly #entries = new Map<Incarnation, Entry>();

  /** Adopts the assignments of the previous placer from the stored states. */
  restore(targets: readonly Target[], agents: readonly AgentHeartbeat[], now: number): void {
    const units = new Map<Incarnation, Set<UnitKey>>();
    for (const { dep, revisions, written } of targets) {
      const named =
        written.agents ?? agents.filter((agent) => isAssignedTo(written, agent.wk) && loadsOf(agent, dep).length > 0).map(({ wk }) => wk);
      for (const wk of named as Incarnation[]) {
        const own = units.get(wk) ?? new Set();
        units.set(wk, own);
        for (const { rev } of revisions) own.add(unitKey({ dep, rev }));
      }
    }
    for (const [wk, own] of units) this.#entries.set(wk, { units: own, key: undefined, seenAt: now });
  }

  /** The agents, each with only those loads whose units were assigned to it. */
  trusted(agents: readonly LiveAgent[]): LiveAgent[] {
    return agents.map((agent) => {
      const units = this.#unitsOf(agent);
      // The index of loads is cached by their array, so an unchanged array is kept.
      if (agent.loads.every((load) => units.has(unitKey(load)))) return agent;
      return { ...agent, loads: agent.loads.filter((load) => units.has(unitKey(load))) };
    });
  }

  /** Records new assignments. @param agents as `trusted` returned them: their loads of earlier assignments stay recorded */
  record(assignments: Assignments, agents: readonly AgentHeartbeat[], now: number): void {
    for (const { wk, key, loads } of agents) {
      const assigned = assignments.get(wk) ?? new Set<UnitKey>();
      const left = loads.map(unitKey).filter((unit) => !assigned.has(unit));
      this.#entries.set(wk, { units: left.length > 0 ? new Set([...assigned, ...left]) : assigned, key, seenAt: now });
    }
    for (const [wk, { seenAt }] of this.#entries) if (now - seenAt > RETURN_MS) this.#entries.delete(wk);
  }

  /** Another agent under the name of a lost one has another key, and therefore none of its units. */
  #unitsOf({ wk, key }: AgentHeartbeat): ReadonlySet<UnitKey> {
    const entry = this.#entries.get(wk);
    return entry && (entry.key === undefined || entry.key === key) ? entry.units : new Set();
  }
}
