import { overWithin } from '@slipway/platform';

/** Lets others wait until there is nothing to do. */
export class IdleGate {
  #waiters: (() => void)[] = [];

  readonly #idle: () => boolean;

  constructor(idle: () => boolean) {
    this.#idle = idle;
  }

  /** Call when there may be nothing to do any more. */
  check(): void {
    if (this.#waiters.length === 0 || !this.#idle()) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Resolves when there is nothing to do, but after `ms` at the latest. */
  async within(ms: number): Promise<void> {
    await overWithin(
      ms,
      new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        this.check();
      }),
    );
  }
}
