import type { AgentLoad, Incarnation, StateReason } from '@slipway/contracts';
import { type Agent, loadOf, type Unit, type UnitKey, unitKey } from './unit.js';

/** Pause after the first failure; it doubles with each further round, up to `MAX_PAUSE_MS`. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 300_000;
/** Longest pause for an HTTP engine that does not respond, where a retry costs nothing. */
const MAX_ENGINE_PAUSE_MS = 30_000;
/** A unit that was ready for this long starts again with the shortest pause. */
const STABLE_MS = 60_000;

/** Failures that would be the same on every agent. Others may have their cause in the agent or its host. */
const SAME_EVERYWHERE: ReadonlySet<StateReason> = new Set(['model_invalid', 'engine_refused', 'engine_unreachable']);

/** Failures of the model file itself. The agent that reported one watches the file, so a retry with the same file is useless. */
const PERMANENT: ReadonlySet<StateReason> = new Set(['model_invalid']);

export interface Failure {
  readonly reason: StateReason;
  readonly detail: string | null;
}

interface Entry {
  /** Failed attempts in a row. */
  rounds: number;
  retryAt: number;
  /** Null after the owner asked for a retry. */
  last: Failure | null;
  /** Number of retries that the owner had asked for. */
  tries: number;
  readonly failedOn: Set<Incarnation>;
  readySince: number | null;
}

/**
 * Remembers which units failed on which agents. A failed unit is retried after 2 s, 4 s, 8 s and so on, up to 5 minutes, and at
 * once when its owner asks for it, so that a broken model neither moves from agent to agent nor is given up. A damaged file
 * stays where it failed until the agent there sees another file.
 */
export class Failures {
  readonly #entries = new Map<UnitKey, Entry>();

  /** Records the reports of agents and drops units that no longer exist. */
  observe(units: readonly Unit[], agents: readonly Agent[], now: number): void {
    const wanted = new Set(units.map(unitKey));
    for (const key of this.#entries.keys()) if (!wanted.has(key)) this.#entries.delete(key);
    for (const unit of units) {
      const key = unitKey(unit);
      this.#resetOnRetry(unit, now);
      this.#dropGoneAgents(key, agents);
      for (const agent of agents) {
        const load = loadOf(agent, unit);
        if (load?.state === 'failed') this.#recordFailure(unit, agent.wk, load, now);
        else this.#allowRetry(key, agent.wk, now);
      }
      this.#dropIfStable(
        key,
        agents.some((agent) => loadOf(agent, unit)?.state === 'ready'),
        now,
      );
    }
  }

  /** The latest failure of a unit that has not been stable since; null for none. */
  last(key: UnitKey): Failure | null {
    return this.#entries.get(key)?.last ?? null;
  }

  /** How often in a row it was tried and failed. */
  rounds(key: UnitKey): number {
    return this.#entries.get(key)?.rounds ?? 0;
  }

  /** True for a unit that fails on every agent until its file is replaced or its owner asks for a retry. */
  isPermanent(key: UnitKey): boolean {
    const reason = this.last(key)?.reason;
    return reason !== undefined && PERMANENT.has(reason);
  }

  /** True if the unit may be started on the agent now. */
  mayTry(key: UnitKey, wk: Incarnation, now: number): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return true;
    if (entry.failedOn.has(wk) || (this.isPermanent(key) && entry.failedOn.size > 0)) return false;
    return now >= entry.retryAt || entry.last === null || !SAME_EVERYWHERE.has(entry.last.reason);
  }

  #dropGoneAgents(key: UnitKey, agents: readonly Agent[]): void {
    const failedOn = this.#entries.get(key)?.failedOn ?? new Set<Incarnation>();
    for (const wk of failedOn) if (!agents.some((agent) => agent.wk === wk)) failedOn.delete(wk);
  }

  /** Agents report the old failure until they have dropped the load, so `failedOn` is kept: it is not counted again. */
  #resetOnRetry(unit: Unit, now: number): void {
    const entry = this.#entries.get(unitKey(unit));
    if (!entry || entry.tries === unit.tries) return;
    Object.assign(entry, { rounds: 0, retryAt: now, last: null, tries: unit.tries } satisfies Partial<Entry>);
  }

  #recordFailure(unit: Unit, wk: Incarnation, load: AgentLoad, now: number): void {
    const key = unitKey(unit);
    const known = this.#entries.get(key);
    if (known?.failedOn.has(wk)) return;
    const last = { reason: load.reason ?? 'engine_crashed', detail: load.detail };
    const entry = known ?? { rounds: 0, retryAt: 0, last, tries: unit.tries, failedOn: new Set<Incarnation>(), readySince: null };
    // Failures on several agents before the next retry count as one round.
    if (now >= entry.retryAt) entry.rounds += 1;
    const maxPause = last.reason === 'engine_unreachable' ? MAX_ENGINE_PAUSE_MS : MAX_PAUSE_MS;
    entry.retryAt = now + Math.min(maxPause, FIRST_PAUSE_MS * 2 ** (entry.rounds - 1));
    entry.last = last;
    entry.failedOn.add(wk);
    this.#entries.set(key, entry);
  }

  /** After the pause, an agent without the failed load may retry; its next failure counts as a new one. */
  #allowRetry(key: UnitKey, wk: Incarnation, now: number): void {
    const entry = this.#entries.get(key);
    if (entry && now >= entry.retryAt) entry.failedOn.delete(wk);
  }

  #dropIfStable(key: UnitKey, ready: boolean, now: number): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.readySince = ready ? (entry.readySince ?? now) : null;
    if (entry.readySince !== null && now - entry.readySince >= STABLE_MS) this.#entries.delete(key);
  }
}
