import { ServiceError } from '@slipway/contracts';

interface Waiter {
  admit(): void;
  refuse(error: ServiceError): void;
}

/**
 * Longest wait for a slot, in milliseconds. A caller waits here while a slot is about to become free; it is the gateway that knows
 * whether another replica has a free one, and whose queue is fair.
 */
const WAIT_MS = 1_000;

/** No slot was free, and none became free in time: nothing was done, and another replica may have one. */
export class NoSlotError extends ServiceError {
  constructor(message: string) {
    super('overloaded', message, { retryAfterS: 1 });
  }
}

/** Hands out a fixed number of slots in order of arrival; a bounded number of callers may wait for up to a second. */
export class AdmissionQueue {
  readonly #waiting: Waiter[] = [];
  #running = 0;
  #closed: ServiceError | null = null;

  constructor(
    private readonly slots: number,
    private readonly bound: number,
  ) {}

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#waiting.length;
  }

  /** @throws NoSlotError when a caller that came now could neither run nor wait; ServiceError when it is closed. */
  assertRoom(): void {
    if (this.#closed) throw this.#closed;
    if (this.#running < this.slots || this.#waiting.length < this.bound) return;
    throw new NoSlotError('All slots of this deployment are taken and its queue is full.');
  }

  /**
   * Resolves with true when the caller holds a slot, which it must `leave`, and with false when `signal` aborted first.
   * @throws NoSlotError when the queue is full or no slot became free in time; what `close` was given when it is closed
   */
  async enter(signal: AbortSignal): Promise<boolean> {
    this.assertRoom();
    if (signal.aborted) return false;
    if (this.#running < this.slots) {
      this.#running += 1;
      return true;
    }
    return this.#wait(signal);
  }

  /** Takes up to `most` further free slots that no request waits for; each must be left, too. @returns how many */
  enterMore(most: number): number {
    const free = this.#closed || this.#waiting.length > 0 ? 0 : this.slots - this.#running;
    const taken = Math.max(0, Math.min(most, free));
    this.#running += taken;
    return taken;
  }

  /** Gives a slot back; the first waiter gets it. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next) next.admit();
    else this.#running -= 1;
  }

  /** Refuses those who wait and all who come. Slots in use stay with their holders. */
  close(error: ServiceError): void {
    this.#closed = error;
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(error);
  }

  #wait(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const gone = (): void => void this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      const settled = (settle: () => void) => (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const onAbort = settled(() => {
        gone();
        resolve(false);
      });
      const onTimeout = settled(() => {
        gone();
        reject(new NoSlotError('No slot of this replica became free in time.'));
      });
      const timer = setTimeout(onTimeout, WAIT_MS);
      const waiter: Waiter = {
        admit: settled(() => resolve(true)),
        refuse: (error) => settled(() => reject(error))(),
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }
}
