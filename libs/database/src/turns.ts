import { ServiceError } from '@slipway/contracts';

/** What `Turns` needs. */
export interface TurnsOptions {
  /** Pieces of work of one key that run at once. */
  readonly atOnce: number;
  /** Pieces of work of one key that wait at most. */
  readonly waitingMax: number;
  /** Time after which nobody waits for the answer any more, in milliseconds. */
  readonly waitMs: number;
}

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Bounds how much work of one key runs at once. What waits holds no connection that other keys need. */
export class Turns<K> {
  readonly #lines = new Map<K, Line>();

  constructor(private readonly options: TurnsOptions) {}

  /**
   * Does the work once it is its turn, in the order of the calls.
   * @throws ServiceError `unavailable` when too much waits, or it waited too long: then the work was not begun
   */
  async take<T>(key: K, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { running: 0, waiting: new Set() };
    this.#lines.set(key, line);
    if (line.running < this.options.atOnce) line.running += 1;
    else await this.#wait(line);
    try {
      return await work();
    } finally {
      this.#leave(key, line);
    }
  }

  /** Whoever leaves hands its place on, so that nobody who comes later takes it. */
  #leave(key: K, line: Line): void {
    const [next] = line.waiting;
    if (next) return next();
    line.running -= 1;
    if (line.running === 0) this.#lines.delete(key);
  }

  #wait({ waiting }: Line): Promise<void> {
    if (waiting.size >= this.options.waitingMax) throw crowded();
    return new Promise((resolve, reject) => {
      const called = (): void => {
        clearTimeout(timer);
        waiting.delete(called);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(called);
        reject(crowded());
      }, this.options.waitMs);
      waiting.add(called);
    });
  }
}

const crowded = (): ServiceError =>
  new ServiceError('unavailable', 'Too many calls wait for the database; try again soon.', { retryAfterS: 1 });
