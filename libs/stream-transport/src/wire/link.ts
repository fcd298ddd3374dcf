import { INLINE_START_BYTES } from '@slipway/contracts';
import { type Logger, type Msg, type MsgHdrs, type NatsConnection, watchConnection } from '@slipway/platform';
import type { Abortable } from '../types.js';
import type { Clock } from './clock.js';

/** How regularly the event loop runs. `stalls on` = it has stalled tick after tick for longer than `patienceMs`. */
export type LoopPace = 'steady' | 'stalled' | 'stalls on';

interface StallLimits {
  /** A tick later than this is a stall. */
  readonly stallMs: number;
  /** A series of stalls longer than this is `stalls on`. */
  readonly patienceMs: number;
}

/** Detects stalls of the event loop from late ticks. */
export class StallWatch {
  /** When the first stall of the current series was noticed. */
  #stallingSince: number | null = null;

  readonly #limits: StallLimits;

  constructor(limits: StallLimits) {
    this.#limits = limits;
  }

  /**
   * Call on every tick. A stall after a tick on time is `stalled`, however long it was.
   * @param lateMs how late the tick is, in milliseconds
   */
  pace(now: number, lateMs: number): LoopPace {
    const { stallMs, patienceMs } = this.#limits;
    if (lateMs <= stallMs) {
      this.#stallingSince = null;
      return 'steady';
    }
    this.#stallingSince ??= now;
    return now - this.#stallingSince > patienceMs ? 'stalls on' : 'stalled';
  }
}

/** Room for NATS headers below the server's limit. */
const HEADROOM_BYTES = 4_096;

/** Publishes without throwing. */
export class Publisher {
  readonly #nats: NatsConnection;
  readonly #log: Pick<Logger, 'warn'>;

  constructor(nats: NatsConnection, log: Pick<Logger, 'warn'>) {
    this.#nats = nats;
    this.#log = log;
  }

  /** Largest payload in bytes that the server takes, with room for headers. */
  get limit(): number {
    return Math.min(INLINE_START_BYTES, (this.#nats.info?.max_payload ?? Number.POSITIVE_INFINITY) - HEADROOM_BYTES);
  }

  /** @returns false when the connection refused it: closed, draining, or the payload is too large. */
  send(subject: string, payload: string | Uint8Array, options?: { reply?: string; headers?: MsgHdrs }): boolean {
    try {
      this.#nats.publish(subject, payload, options);
      return true;
    } catch (err) {
      this.#log.warn({ subject, bytes: payload.length, err }, 'stream.publish_failed');
      return false;
    }
  }

  /** @returns false when the server did not confirm what was sent so far. */
  async flush(): Promise<boolean> {
    return this.#nats.flush().then(
      () => true,
      () => false,
    );
  }
}

/** NATS status of a message that the server sends when a published subject has no subscriber. */
const NO_RESPONDERS = 503;

/** True for the server's "no responders" message (status 503, empty body). */
export const isNoResponders = (msg: Msg): boolean => msg.data.length === 0 && msg.headers?.code === NO_RESPONDERS;

/** A subscription callback that never throws: an exception in it would end the read loop of the whole connection. */
export const guardedCallback =
  (log: Pick<Logger, 'error'>, handle: (msg: Msg) => void): ((err: Error | null, msg: Msg) => void) =>
  (err, msg) => {
    if (err) {
      log.error({ err }, 'stream.subscription_failed');
      return;
    }
    try {
      handle(msg);
    } catch (cause) {
      log.error({ subject: msg.subject, err: cause }, 'stream.message_failed');
    }
  };

export interface LinkOptions {
  readonly nats: NatsConnection;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  /** A server that does not answer a ping within this is left for another. */
  readonly answerMs: number;
  readonly onUp?: () => void;
  readonly onDown?: () => void;
  /** The server has said that it shuts down: what peers must know should be sent now. */
  readonly onMoves?: () => void;
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
  #moves = false;
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
    watchConnection(this.#nats, {
      disconnected: () => this.#change(false),
      reconnected: () => this.#change(true),
      serverLeaves: () => this.#serverLeaves(),
    });
  }

  /** True while the socket is connected. */
  get up(): boolean {
    return this.#connected;
  }

  /** True from the notice that the server shuts down until this process has connected to another one. Peers are told. */
  get moves(): boolean {
    return this.#moves;
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
      this.#moves = this.#nats.info?.ldm === true;
      this.#release();
      this.#options.onUp?.();
    } else {
      this.#options.onDown?.();
    }
  }

  #serverLeaves(): void {
    if (this.#stopped || !this.#connected) return;
    this.#moves = true;
    this.#options.onMoves?.();
  }

  #release(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
