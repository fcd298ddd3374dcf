import { type WorkStream, workStreamPull } from '@slipway/contracts';
import { type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { Logger } from '../log/logger.js';
import { watchConnection } from '../nats/connect.js';
import { inboxOf } from '../nats/questions.js';
import { randomToken } from '../secrets/random-token.js';

/**
 * Events that are asked for at once, and worked off together. Even the largest that are sent, of some 40 kB, stay below what
 * a server keeps for a connection.
 */
const BATCH = 100;
/** How long the server keeps a question open, in milliseconds. */
const OPEN_MS = 5_000;
/** A question that the server should have closed long ago is asked again, in milliseconds. */
const SILENCE_MS = OPEN_MS + 2_000;
/** What comes within this time is worked off together, in milliseconds: a transaction costs more than the records in it. */
const GATHER_MS = 200;
/** How often it looks whether a question is open while nothing comes, in milliseconds. */
const IDLE_MS = 500;
/** Pause after a failure, in milliseconds. */
const RETRY_MS = 500;
const NANOSECONDS = 1_000_000;

/** One event, as JetStream delivered it. */
export interface WorkItem {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** What a `WorkConsumer` needs. */
export interface WorkConsumerOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly stream: WorkStream;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /**
   * Works events off, all or none. After it resolves they are confirmed and do not come again; after a failure it is called
   * with the same ones again. They may come doubled and in any order.
   */
  readonly work: (items: readonly WorkItem[]) => Promise<void>;
}

/** Takes the events of a work stream in batches, one after the other, for as long as it runs. */
export class WorkConsumer {
  readonly #inbox: string;
  #subscription: Subscription | undefined;
  #pending: Msg[] = [];
  #open = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #notBefore = 0;
  #wake: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #failing = false;

  constructor(private readonly options: WorkConsumerOptions) {
    this.#inbox = `${inboxOf(options.nats)}.work.${randomToken()}`;
  }

  start(): void {
    const { nats } = this.options;
    this.#subscription = nats.subscribe(this.#inbox, { callback: (error, msg) => this.#arrived(error, msg) });
    watchConnection(nats, { reconnected: () => this.#askAgain(0) });
    this.#running = this.#run();
  }

  /** Ends after the batch that is being worked off; what was taken besides goes to other replicas. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.();
    await this.#running;
    this.#subscription?.unsubscribe();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#ask();
      if (this.#pending.length === 0) {
        await this.#sleep(IDLE_MS);
        continue;
      }
      if (this.#pending.length < BATCH) await this.#sleep(GATHER_MS, true);
      await this.#workOff(this.#pending.splice(0, BATCH));
    }
  }

  async #workOff(batch: readonly Msg[]): Promise<void> {
    const items = batch.map(({ subject, data }) => ({ subject, data }));
    while (!this.#stopped) {
      try {
        await this.options.work(items);
        for (const msg of batch) msg.respond('+ACK');
        if (this.#failing) this.options.log.info({ stream: this.options.stream.name }, 'work.recovered');
        this.#failing = false;
        return;
      } catch (error) {
        if (!this.#failing) this.options.log.warn({ stream: this.options.stream.name, err: error }, 'work.failed');
        this.#failing = true;
        await this.#sleep(RETRY_MS, true);
      }
    }
  }

  #ask(): void {
    const now = performance.now();
    const lost = this.#open > 0 && now - this.#askedAt > SILENCE_MS;
    if ((this.#open > 0 && !lost) || this.#pending.length > 0 || now < this.#notBefore) return;
    this.#open = BATCH;
    this.#askedAt = now;
    const { nats, stream, env } = this.options;
    if (nats.isClosed()) return;
    const request = JSON.stringify({ batch: BATCH, expires: OPEN_MS * NANOSECONDS });
    nats.publish(workStreamPull(stream, env), request, { reply: this.#inbox });
  }

  #askAgain(afterMs: number): void {
    this.#open = 0;
    this.#notBefore = performance.now() + afterMs;
    this.#wake?.();
  }

  /** An event, or the server's word that the question is closed: run out (404, 408), no such consumer, no JetStream (409, 503). */
  #arrived(error: Error | null, msg: Msg): void {
    if (error) return;
    const status = msg.headers?.code ?? 0;
    if (status >= 400) return this.#askAgain(status === 408 || status === 404 ? 0 : RETRY_MS);
    if (status !== 0) return;
    this.#open -= 1;
    this.#pending.push(msg);
    if (this.#pending.length === 1 || this.#pending.length >= BATCH) this.#wake?.();
  }

  /** @param whole = nothing but the end wakes it. */
  #sleep(ms: number, whole = false): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        if (whole && !this.#stopped && this.#pending.length < BATCH) return;
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(() => {
        this.#wake = undefined;
        resolve();
      }, ms);
      this.#wake = wake;
    });
  }
}
