import { availableParallelism } from 'node:os';
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '@slipway/contracts';

/** 19 MiB, two passes: OWASP's first choice for argon2id, about 30 ms. The library's default variant is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes that wait for their turn; more are told to come back. */
const WAITING_MAX = 64;

/**
 * Hashes and checks passwords with argon2id. Few run at once, so that a storm of sign-ins takes neither all memory
 * nor all threads from the rest of the service.
 */
export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Checked for people who have no password, so that they take as long as others. */
  readonly #decoy: Promise<string>;

  /** @param concurrent hashes at once; by default half of the processors. */
  constructor(private readonly concurrent = Math.max(1, Math.floor(availableParallelism() / 2))) {
    this.#decoy = this.hash(randomBytes(32).toString('base64url'));
  }

  /** Hashes that run now. */
  get running(): number {
    return this.#running;
  }

  /** @throws ServiceError `unavailable` when too many wait. */
  hash(password: string): Promise<string> {
    return this.#turn(() => hash(password, COST));
  }

  /**
   * True when the password is the one behind the hash. Without a hash the answer is false, after the same work.
   * @throws ServiceError `unavailable` when too many wait.
   */
  async matches(stored: string | null, password: string): Promise<boolean> {
    const compared = stored ?? (await this.#decoy);
    const same = await this.#turn(() => verify(compared, password));
    return same && stored !== null;
  }

  async #turn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.concurrent) await this.#wait();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes the place over.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= WAITING_MAX) {
      throw new ServiceError('unavailable', 'Too many people sign in at this moment; try again soon.', { retryAfterS: 2 });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
