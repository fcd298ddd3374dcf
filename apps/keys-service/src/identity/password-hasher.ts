import { availableParallelism } from 'node:os';
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '@slipway/contracts';
import { FairQueue, type Waiter } from './fair-queue.js';

/** 19 MiB and two passes: OWASP's first choice for argon2id, about 30 ms. The library's default variant is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes of each group that may wait; further ones are refused. */
const WAITING_MAX = 64;

/** The place of a hash in the queue. */
export interface HashLane {
  /** `known`: sessions, operators, and browsers that signed in with the address before. */
  readonly group: 'known' | 'unknown';
  /** Lanes of a group are served round robin: an email address or a network. */
  readonly key: string;
}

const OWN: HashLane = { group: 'known', key: '' };

/**
 * Hashes and checks passwords with argon2id. Only a few run concurrently, so that many sign-ins leave memory and threads to the
 * rest of the service. Known and unknown callers alternate, and within each group its lanes do, so that unknown callers who try
 * passwords cannot delay known ones for long.
 */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: Record<HashLane['group'], FairQueue> = { known: new FairQueue(WAITING_MAX), unknown: new FairQueue(WAITING_MAX) };
  #latest: HashLane['group'] = 'unknown';
  /** Checked where a person has no password, so that the check takes as long as others. */
  readonly #decoy: Promise<string>;

  /** @param concurrent hashes at a time; by default half of the processors */
  constructor(private readonly concurrent = Math.max(1, Math.floor(availableParallelism() / 2))) {
    this.#decoy = this.hash(randomBytes(32).toString('base64url'), OWN);
  }

  /** Hashes that run now. */
  get running(): number {
    return this.#running;
  }

  /** @throws ServiceError `unavailable` when too many wait */
  hash(password: string, lane: HashLane): Promise<string> {
    return this.#run(lane, () => hash(password, COST));
  }

  /**
   * Whether the password belongs to the stored hash. False without a hash, after the same work.
   * @throws ServiceError `unavailable` when too many wait
   */
  async matches(stored: string | null, password: string, lane: HashLane): Promise<boolean> {
    const compared = stored ?? (await this.#decoy);
    const same = await this.#run(lane, () => verify(compared, password));
    return same && stored !== null;
  }

  async #run<T>(lane: HashLane, work: () => Promise<T>): Promise<T> {
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

  #wait({ group, key }: HashLane): Promise<void> {
    return new Promise((start, reject) => {
      const refuse = (): void =>
        reject(new ServiceError('unavailable', 'Too many sign-ins at this moment; try again soon.', { retryAfterS: 2 }));
      this.#waiting[group].add(key, { start, refuse });
    });
  }
}
