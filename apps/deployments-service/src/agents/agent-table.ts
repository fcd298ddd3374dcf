import type { AgentHeartbeat, Incarnation } from '@slipway/contracts';
import { loadOf } from '../placement/unit.js';

/** An agent beats each second; five missed beats mean that it is gone. */
const SILENCE_MS = 5_000;
/** A process that did nothing for so long has not read its heartbeats either. */
const STALL_MS = 1_500;

interface Entry {
  readonly heartbeat: AgentHeartbeat;
  heardAt: number;
}

/**
 * The agents heard of lately. Silence counts only while this process could hear: after its own
 * disconnection or stall every agent gets its full time again.
 */
export class AgentTable {
  readonly #agents = new Map<Incarnation, Entry>();
  #lookedAt: number;
  #listeningSince: number | null = null;

  /** @param clock monotonic, in milliseconds. */
  constructor(private readonly clock: () => number) {
    this.#lookedAt = clock();
  }

  beat(heartbeat: AgentHeartbeat): void {
    this.#agents.set(heartbeat.wk, { heartbeat, heardAt: this.clock() });
  }

  /** A part of a heartbeat arrived: a sign of life, with nothing new in it yet. */
  alive(wk: Incarnation): void {
    const entry = this.#agents.get(wk);
    if (entry) entry.heardAt = this.clock();
  }

  /** Heartbeats can arrive from now on. */
  connected(): void {
    this.#listeningSince = this.clock();
    this.#forgiveSilence();
  }

  disconnected(): void {
    this.#listeningSince = null;
  }

  /** Milliseconds for which heartbeats could arrive without a break; null while they cannot. */
  listeningFor(): number | null {
    return this.#listeningSince === null ? null : this.clock() - this.#listeningSince;
  }

  /** Drops agents that fell silent and returns the others, by name. Call it at least each second. */
  live(): AgentHeartbeat[] {
    const now = this.clock();
    if (now - this.#lookedAt > STALL_MS) this.#forgiveSilence();
    this.#lookedAt = now;
    if (this.#listeningSince !== null) {
      for (const [wk, { heardAt }] of this.#agents) if (now - heardAt > SILENCE_MS) this.#agents.delete(wk);
    }
    return [...this.#agents.values()].map(({ heartbeat }) => heartbeat).sort((a, b) => (a.wk < b.wk ? -1 : 1));
  }

  knows(wk: string): boolean {
    return this.#agents.has(wk as Incarnation);
  }

  /** How far the load that is furthest has come, 0 to 1; null when nothing of the revision loads on agents that were given it. */
  progressOf({ dep, rev }: { dep: number; rev: number }, wasGiven: (wk: Incarnation) => boolean): number | null {
    const given = [...this.#agents.values()].filter(({ heartbeat }) => wasGiven(heartbeat.wk));
    const loads = given.map(({ heartbeat }) => loadOf(heartbeat, { dep, rev }));
    const known = loads.flatMap((load) => (load?.state === 'loading' && load.progress !== null ? [load.progress] : []));
    return known.length > 0 ? Math.max(...known) : null;
  }

  #forgiveSilence(): void {
    for (const entry of this.#agents.values()) entry.heardAt = this.clock();
  }
}
