import type { AgentLoad, Incarnation, StateReason } from '@slipway/contracts';
import { type Agent, loadOf, type Unit, type UnitKey, unitKey } from './unit.js';

/** Pause after the first failure, doubled with each further round, at most `MAX_PAUSE_MS`. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 300_000;
/** The same for an HTTP engine that does not answer: asking again costs nothing. */
const MAX_ENGINE_PAUSE_MS = 30_000;
/** A unit that was ready for so long starts over with the shortest pause. */
const STABLE_MS = 60_000;

/** Faults that another agent would only repeat. All others may be the agent's or its host's. */
const SAME_EVERYWHERE: ReadonlySet<StateReason> = new Set(['model_invalid', 'engine_refused', 'engine_unreachable']);

/** Faults of the model's file: the agent that found one watches the file, and a try of the same file is a waste. */
const PERMANENT: ReadonlySet<StateReason> = new Set(['model_invalid']);

export interface Failure {
  readonly reason: StateReason;
  readonly detail: string | null;
}

interface Entry {
  /** Tries that ended in failure, one after another. */
  rounds: number;
  retryAt: number;
  /** Null = forgiven, because the owner asked for another try. */
  last: Failure | null;
  /** The owner's wishes for another try that were known. */
  tries: number;
  readonly failedOn: Set<Incarnation>;
  readySince: number | null;
}

/**
 * Remembers which units failed where, so that a broken model is neither bounced from agent to agent
 * nor given up for ever: it is tried again after 2 s, 4 s, 8 s and so on, up to 5 minutes, and at once
 * when its owner asks for it. A damaged file stays where it failed until the agent there sees another file.
 */
export class Failures {
  readonly #entries = new Map<UnitKey, Entry>();

  /** Takes in what agents report, and forgets units that are no longer wanted. */
  observe(units: readonly Unit[], agents: readonly Agent[], now: number): void {
    const wanted = new Set(units.map(unitKey));
    for (const key of this.#entries.keys()) if (!wanted.has(key)) this.#entries.delete(key);
    for (const unit of units) {
      const key = unitKey(unit);
      this.#forgiveIfAsked(unit, now);
      this.#forgetAgents(key, agents);
      for (const agent of agents) {
        const load = loadOf(agent, unit);
        if (load?.state === 'failed') this.#note(unit, agent.wk, load, now);
        else this.#pardon(key, agent.wk, now);
      }
      this.#forgetIfStable(
        key,
        agents.some((agent) => loadOf(agent, unit)?.state === 'ready'),
        now,
      );
    }
  }

  /** The latest failure of a unit that has not run well since. */
  last(key: UnitKey): Failure | null {
    return this.#entries.get(key)?.last ?? null;
  }

  /** True for a unit that fails wherever it is tried, until its file is replaced or its owner asks for another try. */
  isPermanent(key: UnitKey): boolean {
    const reason = this.last(key)?.reason;
    return reason !== undefined && PERMANENT.has(reason);
  }

  mayTry(key: UnitKey, wk: Incarnation, now: number): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return true;
    if (entry.failedOn.has(wk) || (this.isPermanent(key) && entry.failedOn.size > 0)) return false;
    return now >= entry.retryAt || entry.last === null || !SAME_EVERYWHERE.has(entry.last.reason);
  }

  #forgetAgents(key: UnitKey, agents: readonly Agent[]): void {
    const failedOn = this.#entries.get(key)?.failedOn ?? new Set<Incarnation>();
    for (const wk of failedOn) if (!agents.some((agent) => agent.wk === wk)) failedOn.delete(wk);
  }

  /** Agents that report the former failure still do so until they have dropped the load: that is no new one. */
  #forgiveIfAsked(unit: Unit, now: number): void {
    const entry = this.#entries.get(unitKey(unit));
    if (!entry || entry.tries === unit.tries) return;
    Object.assign(entry, { rounds: 0, retryAt: now, last: null, tries: unit.tries } satisfies Partial<Entry>);
  }

  #note(unit: Unit, wk: Incarnation, load: AgentLoad, now: number): void {
    const key = unitKey(unit);
    const known = this.#entries.get(key);
    if (known?.failedOn.has(wk)) return;
    const last = { reason: load.reason ?? 'engine_crashed', detail: load.detail };
    const entry = known ?? { rounds: 0, retryAt: 0, last, tries: unit.tries, failedOn: new Set<Incarnation>(), readySince: null };
    // Failures of several agents before the next try are one round.
    if (now >= entry.retryAt) entry.rounds += 1;
    const longest = last.reason === 'engine_unreachable' ? MAX_ENGINE_PAUSE_MS : MAX_PAUSE_MS;
    entry.retryAt = now + Math.min(longest, FIRST_PAUSE_MS * 2 ** (entry.rounds - 1));
    entry.last = last;
    entry.failedOn.add(wk);
    this.#entries.set(key, entry);
  }

  /** An agent may try again when the pause is over and it has dropped the failed load: its next report is then a new one. */
  #pardon(key: UnitKey, wk: Incarnation, now: number): void {
    const entry = this.#entries.get(key);
    if (entry && now >= entry.retryAt) entry.failedOn.delete(wk);
  }

  #forgetIfStable(key: UnitKey, ready: boolean, now: number): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.readySince = ready ? (entry.readySince ?? now) : null;
    if (entry.readySince !== null && now - entry.readySince >= STABLE_MS) this.#entries.delete(key);
  }
}
