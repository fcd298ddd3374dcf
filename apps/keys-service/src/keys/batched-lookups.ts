import { ServiceError } from '@slipway/contracts';

/** Least time between two queries for keys that were not valid before, in milliseconds. */
const GAP_MS = 50;
/** Keys of one query. */
const BATCH_MAX = 500;
const WAITING_MAX = 10_000;
/** Valid keys, and invalid ones, that are remembered; the oldest are dropped first. */
const REMEMBERED_MAX = 10_000;
/** How long an invalid key is refused without a query, in milliseconds. It may belong to a suspended account that is resumed meanwhile. */
const INVALID_MS = 2_000;

/** The MACs that one presented key may be stored as. */
type Macs = readonly Buffer[];

interface Waiting<T> {
  readonly macs: Macs;
  readonly resolve: (found: T | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks up keys so that guessing costs the database little. A key that was valid before has its own query, so that a change of it
 * takes effect at once. All other keys share one query every 50 ms. A key that was invalid is refused without a query for 2 s.
 */
export class BatchedLookups<T extends { readonly mac: Buffer }> {
  readonly #valid = new Map<string, true>();
  /** Until when each is refused, in milliseconds. */
  readonly #invalid = new Map<string, number>();
  #waiting: Waiting<T>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #queriedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param query finds all keys that have one of these MACs
   * @param now milliseconds
   */
  constructor(
    private readonly query: (macs: Macs) => Promise<readonly T[]>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Null when no key has one of these MACs. @throws ServiceError `unavailable` when 10,000 keys wait, and what `query` throws */
  async find(macs: Macs): Promise<T | null> {
    const name = nameOf(macs);
    if ((this.#invalid.get(name) ?? 0) > this.now()) return null;
    const found = this.#valid.has(name) ? foundIn(await this.query(macs), macs) : await this.#batched(macs);
    this.#valid.delete(name);
    this.#invalid.delete(name);
    if (found) remember(this.#valid, name, true);
    else remember(this.#invalid, name, this.now() + INVALID_MS);
    return found;
  }

  #batched(macs: Macs): Promise<T | null> {
    if (this.#waiting.length >= WAITING_MAX)
      throw new ServiceError('unavailable', 'Too many keys wait to be looked up; try again soon.', { retryAfterS: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ macs, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#timer || this.#waiting.length === 0) return;
    const wait = Math.max(0, this.#queriedAt + GAP_MS - this.now());
    this.#timer = setTimeout(() => void this.#queryBatch(), wait);
  }

  async #queryBatch(): Promise<void> {
    this.#queriedAt = this.now();
    const batch = this.#waiting.slice(0, BATCH_MAX);
    this.#waiting = this.#waiting.slice(BATCH_MAX);
    try {
      const found = await this.query(batch.flatMap(({ macs }) => macs));
      for (const { macs, resolve } of batch) resolve(foundIn(found, macs));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#timer = undefined;
    this.#schedule();
  }
}

const nameOf = (macs: Macs): string => Buffer.concat(macs).toString('base64');

const foundIn = <T extends { readonly mac: Buffer }>(found: readonly T[], macs: Macs): T | null =>
  found.find(({ mac }) => macs.some((one) => one.equals(mac))) ?? null;

function remember<V>(memory: Map<string, V>, name: string, value: V): void {
  memory.set(name, value);
  if (memory.size <= REMEMBERED_MAX) return;
  for (const oldest of memory.keys()) {
    memory.delete(oldest);
    return;
  }
}
