import { ServiceError } from '@slipway/contracts';

/** Questions about keys that nobody knows are at least this far apart, in milliseconds, however many come. */
const GAP_MS = 50;
/** Keys of one question. */
const GATHERED_MAX = 500;
const WAITING_MAX = 10_000;
/** Keys that are remembered, of each sort; the oldest go first. */
const REMEMBERED_MAX = 10_000;
/** A key that opened nothing opens nothing for so long, in milliseconds: until then it may be one of an account that was suspended. */
const WRONG_MS = 2_000;

/** One key: what it may be stored as. */
type Macs = readonly Buffer[];

interface Waiting<T> {
  readonly macs: Macs;
  readonly resolve: (found: T | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks up keys so that guessing costs the database little: keys that opened something are asked for each time, so that a
 * change of them counts at once; all others share a question each 50 ms, and one that was wrong a moment ago is not asked for.
 */
export class GatheredLookups<T extends { readonly mac: Buffer }> {
  readonly #right = new Map<string, true>();
  /** Until when, in milliseconds. */
  readonly #wrong = new Map<string, number>();
  #waiting: Waiting<T>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param ask finds all keys that have one of these MACs.
   * @param now milliseconds
   */
  constructor(
    private readonly ask: (macs: Macs) => Promise<readonly T[]>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Null when no key has one of these MACs. @throws ServiceError `unavailable`, and what `ask` throws */
  async find(macs: Macs): Promise<T | null> {
    const name = nameOf(macs);
    if ((this.#wrong.get(name) ?? 0) > this.now()) return null;
    const found = this.#right.has(name) ? foundIn(await this.ask(macs), macs) : await this.#gathered(macs);
    this.#right.delete(name);
    this.#wrong.delete(name);
    if (found) remember(this.#right, name, true);
    else remember(this.#wrong, name, this.now() + WRONG_MS);
    return found;
  }

  #gathered(macs: Macs): Promise<T | null> {
    if (this.#waiting.length >= WAITING_MAX)
      throw new ServiceError('unavailable', 'Too many keys wait to be looked up; try again soon.', { retryAfterS: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ macs, resolve, reject });
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#timer || this.#waiting.length === 0) return;
    const wait = Math.max(0, this.#askedAt + GAP_MS - this.now());
    this.#timer = setTimeout(() => void this.#askForAll(), wait);
  }

  async #askForAll(): Promise<void> {
    this.#askedAt = this.now();
    const asked = this.#waiting.slice(0, GATHERED_MAX);
    this.#waiting = this.#waiting.slice(GATHERED_MAX);
    try {
      const found = await this.ask(asked.flatMap(({ macs }) => macs));
      for (const { macs, resolve } of asked) resolve(foundIn(found, macs));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    this.#timer = undefined;
    this.#plan();
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
