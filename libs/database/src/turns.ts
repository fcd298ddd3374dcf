import { ServiceError } from '@slipway/contracts';

/** What `Turns` needs. */
export interface TurnsOptions {
  /** Most calls of one key that run at once. */
  readonly atOnce: number;
  /** Most calls of one key that wait. */
  readonly waitingMax: number;
  /** Longest wait before a call is refused, in milliseconds. */
  readonly waitMs: number;
}

interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Bounds how many calls of one key run at once. A waiting call holds no connection. */
export class Turns<K> {
  readonly #lines = new Map<K, Line>();

  constructor(private readonly options: TurnsOptions) {}

  /**
   * Runs the work when its turn comes, in the order of the calls.
   * @throws ServiceError `unavailable` when too many calls wait or it waited too long; the work has not begun then
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

  /** Passes the place to the first waiting call, so that no later call takes it. */
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
