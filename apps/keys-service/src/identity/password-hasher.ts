import { availableParallelism } from 'node:os';
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '@slipway/contracts';
import { FairQueue, type Waiting } from './fair-queue.js';

/** 19 MiB, two passes: OWASP's first choice for argon2id, about 30 ms. The library's default variant is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes of each group that wait for their turn; more are told to come back. */
const WAITING_MAX = 64;

/** For whom a hash is computed. */
export interface HashTurn {
  /** Known are sessions, operators and browsers that signed in before with the address. */
  readonly group: 'known' | 'strangers';
  /** Within the group each of these has its turn: an email address, a network. */
  readonly of: string;
}

const OWN: HashTurn = { group: 'known', of: '' };

/**
 * Hashes and checks passwords with argon2id. Few run at once, so that a storm of sign-ins takes neither all memory
 * nor all threads from the rest of the service. Those who are known and strangers take turns, and within each group people
 * and networks do, so that strangers who try passwords keep nobody from signing in who did before.
 */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: Record<HashTurn['group'], FairQueue> = { known: new FairQueue(WAITING_MAX), strangers: new FairQueue(WAITING_MAX) };
  #latest: HashTurn['group'] = 'strangers';
  /** Checked for people who have no password, so that they take as long as others. */
  readonly #decoy: Promise<string>;

  /** @param concurrent hashes at once; by default half of the processors. */
  constructor(private readonly concurrent = Math.max(1, Math.floor(availableParallelism() / 2))) {
    this.#decoy = this.hash(randomBytes(32).toString('base64url'), OWN);
  }

  /** Hashes that run now. */
  get running(): number {
    return this.#running;
  }

  /** @throws ServiceError `unavailable` when too many wait. */
  hash(password: string, turn: HashTurn): Promise<string> {
    return this.#turn(turn, () => hash(password, COST));
  }

  /**
   * True when the password is the one behind the hash. Without a hash the answer is false, after the same work.
   * @throws ServiceError `unavailable` when too many wait.
   */
  async matches(stored: string | null, password: string, turn: HashTurn): Promise<boolean> {
    const compared = stored ?? (await this.#decoy);
    const same = await this.#turn(turn, () => verify(compared, password));
    return same && stored !== null;
  }

  async #turn<T>(turn: HashTurn, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.concurrent) await this.#wait(turn);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes the place over.
      const next = this.#next();
      if (next) next.go();
      else this.#running -= 1;
    }
  }

  #next(): Waiting | undefined {
    this.#latest = this.#latest === 'known' ? 'strangers' : 'known';
    return this.#waiting[this.#latest].next() ?? this.#waiting[this.#latest === 'known' ? 'strangers' : 'known'].next();
  }

  #wait({ group, of }: HashTurn): Promise<void> {
    return new Promise((go, fail) => {
      const refuse = (): void =>
        fail(new ServiceError('unavailable', 'Too many people sign in at this moment; try again soon.', { retryAfterS: 2 }));
      this.#waiting[group].add(of, { go, refuse });
    });
  }
}
