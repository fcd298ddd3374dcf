import { type Logger, type NatsConnection, overWithin, watchConnection } from '@slipway/platform';
import type { MonotonicClock } from '../clock.js';
import { FLUSH_MS, STALL_MS, TICK_MS, TICK_SILENCE_MS } from '../limits.js';

export interface TickWatchOptions {
  readonly nats: NatsConnection;
  readonly clock: MonotonicClock;
  readonly log: Logger;
  readonly feed: string;
  /** Something happened after which only a question tells what is known. */
  readonly uncertain: () => void;
}

/**
 * Notices what makes hints worthless: a connection that hangs though it looks open (neither tick nor
 * answer, and a flush fails: it is given up), one that came back, and an event loop that stood still.
 */
export class TickWatch {
  #heardAt: number;
  #beatAt: number;
  #disconnects = 0;
  #flushing = false;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: TickWatchOptions) {
    this.#heardAt = this.#beatAt = options.clock.now();
  }

  start(): void {
    const { nats, uncertain } = this.options;
    watchConnection(nats, {
      disconnected: () => {
        this.#disconnects += 1;
      },
      reconnected: () => {
        this.#heardAt = this.options.clock.now();
        if (!this.#stopped) uncertain();
      },
    });
    this.#timer = setInterval(() => this.#beat(), TICK_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  /** Something came over the connection: a tick, or an answer. */
  answered(): void {
    this.#heardAt = this.options.clock.now();
  }

  #beat(): void {
    const now = this.options.clock.now();
    const stalled = now - this.#beatAt > STALL_MS;
    this.#beatAt = now;
    if (stalled) {
      // The ticks of the pause are still in the socket: their absence says nothing.
      this.#heardAt = now;
      this.options.uncertain();
      return;
    }
    if (now - this.#heardAt > TICK_SILENCE_MS && !this.#flushing) void this.#probe();
  }

  async #probe(): Promise<void> {
    const { nats, log, feed } = this.options;
    if (nats.isClosed() || nats.isDraining()) return;
    this.#flushing = true;
    const disconnects = this.#disconnects;
    const answers = await overWithin(FLUSH_MS, nats.flush()).catch(() => false);
    // Another loss seen meanwhile means that the connection is being replaced already.
    if (!answers && !this.#stopped && disconnects === this.#disconnects) {
      log.warn({ feed }, 'feed.connection_hangs');
      // It fails only where the connection is closed for good, which its owner hears.
      await nats.reconnect().catch(() => undefined);
    }
    this.#heardAt = this.options.clock.now();
    this.#flushing = false;
  }
}
