import { type Logger, type NatsConnection, overWithin, watchConnection } from '@slipway/platform';
import type { MonotonicClock } from '../clock.js';
import { FLUSH_MS, STALL_MS, TICK_MS, TICK_SILENCE_MS } from '../limits.js';

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
  #checkedAt: number;
  #disconnects = 0;
  #flushing = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: TickWatchOptions) {
    this.#lastMessageAt = this.#checkedAt = options.clock.now();
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
    this.#timer = setInterval(() => this.#check(), TICK_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  /** Notes a tick or an answer. */
  answered(): void {
    this.#lastMessageAt = this.options.clock.now();
  }

  #check(): void {
    const now = this.options.clock.now();
    const stalled = now - this.#checkedAt > STALL_MS;
    this.#checkedAt = now;
    if (stalled) {
      // Ticks that arrived during the pause are still in the socket.
      this.#lastMessageAt = now;
      this.options.uncertain();
      return;
    }
    if (now - this.#lastMessageAt > TICK_SILENCE_MS && !this.#flushing) void this.#probe();
  }

  async #probe(): Promise<void> {
    const { nats, log, feed } = this.options;
    if (nats.isClosed() || nats.isDraining()) return;
    this.#flushing = true;
    const disconnects = this.#disconnects;
    const answers = await overWithin(FLUSH_MS, nats.flush()).catch(() => false);
    // After another disconnect the connection is being replaced already.
    if (!answers && !this.#stopped && disconnects === this.#disconnects) {
      log.warn({ feed }, 'feed.connection_hangs');
      // Rejects only after the connection was closed for good, which its owner handles.
      await nats.reconnect().catch(() => undefined);
    }
    this.#lastMessageAt = this.options.clock.now();
    this.#flushing = false;
  }
}
