import { type Logger, type NatsConnection, watchConnection } from '@slipway/platform';
import type { Abortable } from '../types.js';
import type { Clock } from './clock.js';

export interface LinkOptions {
  readonly nats: NatsConnection;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  /** A server that does not answer a ping within this is left for another. */
  readonly answerMs: number;
  readonly onUp?: () => void;
  readonly onDown?: () => void;
}

/** A timer later than this was delayed by a stall of this process, in milliseconds. */
const LATE_TIMER_MS = 200;

/**
 * The state of the process's own connection. While it is down or its server does not answer, the silence of others proves
 * nothing.
 */
export class Link {
  readonly #nats: NatsConnection;
  #connected = true;
  #changedAt = Number.NEGATIVE_INFINITY;
  #provenAt = Number.NEGATIVE_INFINITY;
  #proving = false;
  #stopped = false;
  #waiters: (() => void)[] = [];
  #answerTimer: NodeJS.Timeout | undefined;

  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#nats = options.nats;
    watchConnection(this.#nats, { disconnected: () => this.#change(false), reconnected: () => this.#change(true) });
  }

  /** True while the socket is connected. */
  get up(): boolean {
    return this.#connected;
  }

  /** When the connection was last lost or regained; -Infinity = never. */
  get since(): number {
    return this.#changedAt;
  }

  /** When the newest ping was sent that the server has answered. */
  get provenSince(): number {
    return this.#provenAt;
  }

  /** Resolves when the connection is up or the waiter is aborted. */
  async whenUp(waiter: Abortable): Promise<void> {
    if (this.#connected || waiter.signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
      waiter.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Pings the server, one ping at a time; reconnects elsewhere when it does not answer within `answerMs`. */
  prove(): void {
    if (this.#proving || !this.#connected || this.#stopped) return;
    this.#proving = true;
    const askedAt = this.#options.clock();
    this.#expectAnswer(askedAt);
    const settle = (answered: boolean): void => {
      clearTimeout(this.#answerTimer);
      this.#proving = false;
      if (answered) this.#provenAt = askedAt;
    };
    this.#nats.flush().then(
      () => settle(true),
      () => settle(false),
    );
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#answerTimer);
    this.#release();
  }

  #expectAnswer(since: number): void {
    this.#answerTimer = setTimeout(() => {
      const late = this.#options.clock() - since - this.#options.answerMs;
      // A late timer shows a stall of this process: the answer may wait in the socket.
      if (late > LATE_TIMER_MS) this.#expectAnswer(this.#options.clock());
      else this.#leave();
    }, this.#options.answerMs);
  }

  #leave(): void {
    if (this.#stopped || this.#nats.isClosed()) return;
    this.#options.log.warn({ server: this.#nats.getServer() }, 'stream.server_silent');
    void this.#nats.reconnect();
  }

  #change(up: boolean): void {
    if (this.#stopped || this.#connected === up) return;
    this.#connected = up;
    this.#changedAt = this.#options.clock();
    if (up) {
      this.#release();
      this.#options.onUp?.();
    } else {
      this.#options.onDown?.();
    }
  }

  #release(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
