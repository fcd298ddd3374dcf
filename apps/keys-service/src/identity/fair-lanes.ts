import { ServiceError } from '@slipway/contracts';
import { FairQueue, type Waiter } from './fair-queue.js';

/** Works of each group that may wait; further ones are refused. */
const WAITING_MAX = 64;

/** The place of a work in the queue. */
export interface Lane {
  /** `known`: sessions, operators, and browsers that signed in with the address before. */
  readonly group: 'known' | 'unknown';
  /** Lanes of a group are served round robin: an email address or a network. */
  readonly key: string;
}

/**
 * Runs a few works of sign-ins at a time. Known and unknown callers alternate, and within each group its lanes do, so that unknown
 * callers who try passwords cannot delay known ones for long.
 */
export class FairLanes {
  #running = 0;
  readonly #waiting: Record<Lane['group'], FairQueue> = { known: new FairQueue(WAITING_MAX), unknown: new FairQueue(WAITING_MAX) };
  #latest: Lane['group'] = 'unknown';

  /** @param concurrent works at a time */
  constructor(private readonly concurrent: number) {}

  /** Works that run now. */
  get running(): number {
    return this.#running;
  }

  /** @throws ServiceError `unavailable` when too many wait */
  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.concurrent) await this.#wait(lane);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The next waiter takes this place over, so `#running` stays.
      const next = this.#next();
      if (next) next.start();
      else this.#running -= 1;
    }
  }

  #next(): Waiter | undefined {
    this.#latest = this.#latest === 'known' ? 'unknown' : 'known';
    return this.#waiting[this.#latest].next() ?? this.#waiting[this.#latest === 'known' ? 'unknown' : 'known'].next();
  }

  #wait({ group, key }: Lane): Promise<void> {
    return new Promise((start, reject) => {
      const refuse = (): void =>
        reject(new ServiceError('unavailable', 'Too many sign-ins at this moment; try again soon.', { retryAfterS: 2 }));
      this.#waiting[group].add(key, { start, refuse });
    });
  }
}
