import type { AgentHeartbeat, Incarnation } from '@slipway/contracts';
import { type LiveAgent, loadOf } from '../placement/unit.js';

/** An agent sends a heartbeat each second; after five missed ones it counts as gone. In milliseconds. */
const SILENCE_MS = 5_000;
/** If `live` was not called for so long, this process stalled and read no heartbeats. In milliseconds. */
const STALL_MS = 2_000;

interface Entry {
  readonly heartbeat: AgentHeartbeat;
  lastSeenAt: number;
}

/**
 * The agents whose heartbeats arrived lately. The time without a heartbeat counts only while this process could receive one:
 * after a disconnection or stall of its own it starts again at zero for every agent.
 */
export class AgentTable {
  readonly #agents = new Map<Incarnation, Entry>();
  #lookedAt: number;
  #listeningSince: number | null = null;
  #drained: ReadonlySet<string> = new Set();

  /** @param clock monotonic, in milliseconds */
  constructor(private readonly clock: () => number) {
    this.#lookedAt = clock();
  }

  /** Stores a whole heartbeat. */
  report(heartbeat: AgentHeartbeat): void {
    this.#agents.set(heartbeat.wk, { heartbeat, lastSeenAt: this.clock() });
  }

  /** Counts a part of a heartbeat as a sign of life. */
  touch(wk: Incarnation): void {
    const entry = this.#agents.get(wk);
    if (entry) entry.lastSeenAt = this.clock();
  }

  /** From now on `live` returns exactly these agents, where they are live, as `draining` and `drained`. */
  drain(names: readonly string[]): void {
    this.#drained = new Set(names);
  }

  /** To be called when heartbeats can arrive. */
  connected(): void {
    this.#listeningSince = this.clock();
    this.#resetSilence();
  }

  disconnected(): void {
    this.#listeningSince = null;
  }

  /** How long heartbeats could arrive without interruption, in milliseconds; null while they cannot. */
  listeningFor(): number | null {
    return this.#listeningSince === null ? null : this.clock() - this.#listeningSince;
  }

  /** Drops the agents without a heartbeat for 5 s and returns the others, sorted by name. To be called at least each second. */
  live(): LiveAgent[] {
    const now = this.clock();
    if (now - this.#lookedAt > STALL_MS) this.#resetSilence();
    this.#lookedAt = now;
    if (this.#listeningSince !== null) {
      for (const [wk, { lastSeenAt }] of this.#agents) if (now - lastSeenAt > SILENCE_MS) this.#agents.delete(wk);
    }
    return [...this.#agents.values()].map(({ heartbeat }) => this.#seen(heartbeat)).sort((a, b) => (a.wk < b.wk ? -1 : 1));
  }

  knows(wk: string): boolean {
    return this.#agents.has(wk as Incarnation);
  }

  /** Progress of the revision's most advanced load on the agents that it is assigned to, 0 to 1; null when none loads. */
  progressOf({ dep, rev }: { dep: number; rev: number }, isAssigned: (wk: Incarnation) => boolean): number | null {
    const assigned = [...this.#agents.values()].filter(({ heartbeat }) => isAssigned(heartbeat.wk));
    const loads = assigned.map(({ heartbeat }) => loadOf(heartbeat, { dep, rev }));
    const known = loads.flatMap((load) => (load?.state === 'loading' && load.progress !== null ? [load.progress] : []));
    return known.length > 0 ? Math.max(...known) : null;
  }

  #seen(heartbeat: AgentHeartbeat): LiveAgent {
    // An agent that stops by itself keeps no replica, whatever an operator asked for.
    if (heartbeat.draining || !this.#drained.has(heartbeat.wk)) return heartbeat;
    return { ...heartbeat, draining: true, drained: true };
  }

  #resetSilence(): void {
    for (const entry of this.#agents.values()) entry.lastSeenAt = this.clock();
  }
}
