import { ServiceError } from '@slipway/contracts';

interface Waiter {
  admit(): void;
  refuse(error: ServiceError): void;
}

/** Hands out a fixed number of slots in order of arrival; a bounded number of callers may wait. */
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

  /** @throws ServiceError `overloaded` when a caller that came now could neither run nor wait. */
  assertRoom(): void {
    if (this.#closed) throw this.#closed;
    if (this.#running < this.slots || this.#waiting.length < this.bound) return;
    throw new ServiceError('overloaded', 'All slots of this deployment are taken and its queue is full.', { retryAfterS: 1 });
  }

  /**
   * Resolves with true when the caller holds a slot, which it must `leave`, and with false when `signal` aborted first.
   * @throws ServiceError `overloaded` when the queue is full, or what `close` was given.
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
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        resolve(false);
      };
      const settled = (settle: () => void) => (): void => {
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const waiter: Waiter = {
        admit: settled(() => resolve(true)),
        refuse: (error) => settled(() => reject(error))(),
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }
}
