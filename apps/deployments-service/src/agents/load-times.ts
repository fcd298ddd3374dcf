import type { AgentHeartbeat } from '@slipway/contracts';
import { unitKey } from '../placement/unit.js';

/** Most remembered loads; the oldest go first. */
const TIMES_MAX = 2_000;
/** Most loads that are being timed. */
const RUNNING_MAX = 10_000;

type Report = Pick<AgentHeartbeat, 'wk' | 'host' | 'loads'>;

/** How long loads took on each host, downloads included, as far as this process saw their beginning and their end. */
export class LoadTimes {
  readonly #startedAt = new Map<string, number>();
  readonly #times = new Map<string, number>();

  /** @param clock monotonic, in milliseconds */
  constructor(private readonly clock: () => number) {}

  /** To be called when the states of an agent's loads changed. */
  observe({ wk, host, loads }: Report): void {
    const now = this.clock();
    for (const load of loads) {
      const running = `${wk} ${unitKey(load)}`;
      const startedAt = this.#startedAt.get(running);
      if (load.state === 'loading') {
        if (startedAt === undefined && this.#startedAt.size < RUNNING_MAX) this.#startedAt.set(running, now);
        continue;
      }
      this.#startedAt.delete(running);
      if (load.state === 'ready' && startedAt !== undefined) this.#remember(`${host} ${unitKey(load)}`, Math.round(now - startedAt));
    }
  }

  /** Forgets the loads of agents that are gone. */
  keepOnly(isKnown: (wk: string) => boolean): void {
    for (const running of this.#startedAt.keys()) if (!isKnown(running.slice(0, running.indexOf(' ')))) this.#startedAt.delete(running);
  }

  /** How long the last load of a revision took on a host, in milliseconds; null = unknown. */
  of(host: string, revision: { readonly dep: number; readonly rev: number }): number | null {
    return this.#times.get(`${host} ${unitKey(revision)}`) ?? null;
  }

  #remember(key: string, ms: number): void {
    this.#times.delete(key);
    this.#times.set(key, ms);
    const [oldest] = this.#times.keys();
    if (this.#times.size > TIMES_MAX && oldest !== undefined) this.#times.delete(oldest);
  }
}
