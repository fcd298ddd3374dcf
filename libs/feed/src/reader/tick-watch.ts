import { type Logger, type NatsConnection, overWithin, watchConnection } from '@slipway/platform';
import type { MonotonicClock } from '../clock.js';
import { FLUSH_MS, STALL_MS, TICK_SILENCE_MS } from '../limits.js';

/** What a `TickWatch` needs. */
export interface TickWatchOptions {
  readonly nats: NatsConnection;
  readonly clock: MonotonicClock;
  readonly log: Logger;
  readonly feed: string;
  /** Called when broadcasts may have been lost, so that the reader must ask. */
  readonly uncertain: () => void;
}

/**
 * Detects when broadcasts may have been lost: after a reconnect, after a pause of the event loop, and when the connection
 * hangs (no tick, no answer, and a flush times out). A hanging connection is replaced.
 */
export class TickWatch {
  #lastMessageAt: number;
  /** When the silence has lasted too long, unless a message comes before. */
  #dueAt: number;
  #disconnects = 0;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: TickWatchOptions) {
    this.#lastMessageAt = this.#dueAt = options.clock.now();
  }

  start(): void {
    const { nats, uncertain } = this.options;
    watchConnection(nats, {
      disconnected: () => {
        this.#disconnects += 1;
      },
      reconnected: () => {
        this.#lastMessageAt = this.options.clock.now();
        if (!this.#stopped) uncertain();
      },
    });
    this.#watch();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Notes a tick or an answer. */
  answered(): void {
    this.#lastMessageAt = this.options.clock.now();
  }

  /** One timer for each silence, not one for each message or at short intervals: each wakes the process. */
  #watch(): void {
    if (this.#stopped) return;
    const now = this.options.clock.now();
    this.#dueAt = Math.max(now, this.#lastMessageAt + TICK_SILENCE_MS);
    this.#timer = setTimeout(() => void this.#check(), Math.ceil(this.#dueAt - now));
  }

  async #check(): Promise<void> {
    const now = this.options.clock.now();
    // Every pause of the event loop for longer than `STALL_MS` makes the timer late by so much.
    if (now - this.#dueAt > STALL_MS - TICK_SILENCE_MS) {
      // Ticks that arrived meanwhile are still in the socket.
      this.#lastMessageAt = now;
      this.options.uncertain();
    }
    if (now - this.#lastMessageAt >= TICK_SILENCE_MS) await this.#probe();
    this.#watch();
  }

  async #probe(): Promise<void> {
    const { nats, log, feed } = this.options;
    const disconnects = this.#disconnects;
    const isEnding = nats.isClosed() || nats.isDraining();
    const answers = isEnding || (await overWithin(FLUSH_MS, nats.flush()).catch(() => false));
    // After another disconnect the connection is being replaced already.
    if (!answers && !this.#stopped && disconnects === this.#disconnects) {
      log.warn({ feed }, 'feed.connection_hangs');
      // Rejects only after the connection was closed for good, which its owner handles.
      await nats.reconnect().catch(() => undefined);
    }
    this.#lastMessageAt = this.options.clock.now();
  }
}
