import { type ModelSource, ServiceError } from '@slipway/contracts';
import type { AgentTable } from '../agents/agent-table.js';

export interface SettingBoundsOptions {
  /** The most threads of a model; null = as many as the largest worker has processors. */
  readonly threads: number | null;
  readonly slots: number;
  readonly context: number;
  readonly replicas: number;
}

interface Wanted {
  readonly source: ModelSource;
  readonly threads: number | null;
  readonly slots: number;
  readonly context: number | null;
}

const tooMuch = (param: string, most: number, why: string): ServiceError =>
  new ServiceError('invalid_request', `${param} is at most ${most}${why}.`, { param });

/** The most that owners may ask for of each setting: the operator's bounds within those of the contract. */
export class SettingBounds {
  constructor(
    private readonly options: SettingBoundsOptions,
    private readonly agents: Pick<AgentTable, 'live'>,
  ) {}

  /**
   * @param before settings that were there: what stays as it was is not refused, though the bounds are narrower by now.
   * @throws ServiceError `invalid_request` naming the setting and its bound
   */
  check(wanted: Wanted, before?: Wanted): void {
    const isBeyond = (setting: 'threads' | 'slots' | 'context', most: number): boolean =>
      wanted[setting] !== before?.[setting] && (wanted[setting] ?? 0) > most;
    const cores = this.options.threads ?? this.#mostCores();
    if (isBeyond('threads', cores))
      throw tooMuch('threads', cores, this.options.threads === null ? ', the processors of the largest worker' : ' here');
    if (isBeyond('slots', this.options.slots)) throw tooMuch('slots', this.options.slots, ' here');
    if (isBeyond('context', this.options.context)) throw tooMuch('context', this.options.context, ' tokens here');
  }

  /** @throws ServiceError `invalid_request` */
  checkReplicas(replicas: number): void {
    if (replicas > this.options.replicas) throw tooMuch('replicas', this.options.replicas, ' here');
  }

  /** No bound while no worker is heard: whatever it has, an agent starts no more threads than it has processors. */
  #mostCores(): number {
    const cores = this.agents.live().map(({ cpu }) => cpu);
    return cores.length > 0 ? Math.max(...cores) : Infinity;
  }
}
