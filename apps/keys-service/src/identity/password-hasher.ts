import { availableParallelism } from 'node:os';
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { FairLanes, type Lane } from './fair-lanes.js';

/** What a hash takes: memory in KiB, and passes over it. */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** 19 MiB and two passes: OWASP's first choice for argon2id, about 30 ms. The library's default variant is argon2id. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Token of the cost that the service hashes at. */
export const HASHING = Symbol('password cost');

const OWN: Lane = { group: 'known', key: '' };

/**
 * Hashes and checks passwords with argon2id. Only a few run concurrently, so that many sign-ins leave memory and threads to the
 * rest of the service.
 */
export class PasswordHasher {
  readonly #lanes: FairLanes;
  /** Checked where a person has no password, so that the check takes as long as others. */
  readonly #decoy: Promise<string>;

  /** @param concurrent hashes at a time; by default half of the processors */
  constructor(
    private readonly cost: PasswordCost,
    concurrent = Math.max(1, Math.floor(availableParallelism() / 2)),
  ) {
    this.#lanes = new FairLanes(concurrent);
    this.#decoy = this.hash(randomBytes(32).toString('base64url'), OWN);
  }

  /** Hashes that run now. */
  get running(): number {
    return this.#lanes.running;
  }

  /** @throws ServiceError `unavailable` when too many wait */
  hash(password: string, lane: Lane): Promise<string> {
    return this.#lanes.run(lane, () => hash(password, this.cost));
  }

  /**
   * Whether the password belongs to the stored hash. False without a hash, after the same work.
   * @throws ServiceError `unavailable` when too many wait
   */
  async matches(stored: string | null, password: string, lane: Lane): Promise<boolean> {
    const compared = stored ?? (await this.#decoy);
    const same = await this.#lanes.run(lane, () => verify(compared, password));
    return same && stored !== null;
  }
}
