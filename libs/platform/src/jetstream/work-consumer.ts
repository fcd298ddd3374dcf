import { setTimeout as delay } from 'node:timers/promises';
import { type WorkStream, workStreamName } from '@slipway/contracts';
import { type Consumer, type ConsumerInfo, type ConsumerMessages, type JsMsg, jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../log/logger.js';

/**
 * Most events of one pull request and of one call of `work`. 100 of the largest (40 kB) fit into a server's buffer for a
 * connection.
 */
const BATCH = 100;
/** Lifetime of a pull request at the server, in milliseconds. */
const OPEN_MS = 5_000;
/**
 * Heartbeat interval of a pull request, in milliseconds. After two missed heartbeats it counts as lost and its inbox is closed.
 * That must not happen before the server closes it: events that a new leader then delivers would come again only after 30 s.
 */
const HEARTBEAT_MS = OPEN_MS / 2;
/** Time in which arriving events are batched at least, in milliseconds: a transaction costs more than its records. */
const GATHER_MS = 200;
/** Time from one batch to the next under steady load, in milliseconds. */
const INTERVAL_MS = 1_000;
/** Pause after a failure, in milliseconds. */
const RETRY_MS = 500;

/** One event, as JetStream delivered it. */
export interface WorkItem {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** The consumed stream, and what processes its events. */
export interface WorkConsumerOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly stream: WorkStream;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /**
   * Processes events, all or none. When it resolves they are acknowledged; when it rejects it is called with them again. Events
   * may be delivered more than once and in any order.
   */
  readonly work: (items: readonly WorkItem[]) => Promise<void>;
}

/**
 * Processes the events of a work stream in batches, one at a time, until stopped. Holds the events of at most one pull request.
 * Continues after reconnects and server restarts, and waits for a stream that does not exist yet.
 */
export class WorkConsumer {
  readonly #consumer: Consumer;
  readonly #stop = new AbortController();
  #messages: ConsumerMessages | undefined;
  #running: Promise<void> | undefined;
  #failing = false;
  /** When the last batch was complete, by the monotonic clock. */
  #batchedAt = Number.NEGATIVE_INFINITY;
  /** When the oldest event was stored that may still wait, in milliseconds since 1970. */
  #waitsSince: number | null = null;
  /** When nothing was known to wait for the last time, in milliseconds since 1970. */
  #emptyAt = Date.now();
  #pullFailed = false;

  constructor(private readonly options: WorkConsumerOptions) {
    this.#consumer = consumerOf(options);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Waits for the running batch; other delivered events go to other replicas at once. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#messages?.stop();
    await this.#running;
  }

  /**
   * Age of the oldest event that is not processed, in milliseconds; 0 where none waits. While JetStream delivers nothing, that is
   * not known, and this is the time since nothing waited.
   */
  get lagMs(): number {
    const since = this.#waitsSince ?? (this.#pullFailed ? this.#emptyAt : null);
    return since === null ? 0 : Math.max(0, Date.now() - since);
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted && !this.options.nats.isClosed()) {
      try {
        await this.#pull();
        this.#delivered();
      } catch {
        // The pull request failed: no consumer or no JetStream yet, a new leader, missed heartbeats.
        this.#pullFailed = true;
        await this.#pause();
      }
    }
  }

  /**
   * Sends one pull request and processes its events. Uses `fetch`, because `consume` sends another pull request after each missed
   * heartbeat while `work` runs, without a bound.
   */
  async #pull(): Promise<void> {
    const messages = await this.#consumer.fetch({ bind: true, max_messages: BATCH, expires: OPEN_MS, idle_heartbeat: HEARTBEAT_MS });
    this.#messages = messages;
    if (this.#stop.signal.aborted) messages.stop();
    for await (const batch of gathered(messages, () => this.#gatherMs())) await this.#process(batch);
  }

  /** How long the batch that begins now gathers events. */
  #gatherMs(): number {
    return Math.max(GATHER_MS, this.#batchedAt + INTERVAL_MS - performance.now());
  }

  async #process(batch: readonly JsMsg[]): Promise<void> {
    const { log, stream, work } = this.options;
    const items = batch.map(({ subject, data }) => ({ subject, data }));
    this.#batchedAt = performance.now();
    this.#waitsSince = storedAt(batch[0]);
    while (!this.#stop.signal.aborted) {
      try {
        await work(items);
        for (const message of batch) message.ack();
        const last = batch.at(-1);
        this.#waitsSince = last && last.info.pending > 0 ? storedAt(last) : null;
        this.#delivered();
        if (this.#failing) log.info({ stream: stream.name }, 'work.recovered');
        this.#failing = false;
        return;
      } catch (error) {
        if (!this.#failing) log.warn({ stream: stream.name, err: error }, 'work.failed');
        this.#failing = true;
        await this.#pause();
      }
    }
    for (const message of batch) message.nak();
  }

  /** JetStream delivers: what waits is known. */
  #delivered(): void {
    this.#pullFailed = false;
    if (this.#waitsSince === null) this.#emptyAt = Date.now();
  }

  /** Waits before the next attempt; `stop` ends the wait. */
  async #pause(): Promise<void> {
    await delay(RETRY_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

const NANOSECONDS = 1_000_000;

/** When JetStream stored a message, in milliseconds since 1970. */
const storedAt = (message: JsMsg | undefined): number | null => (message ? message.info.timestampNanos / NANOSECONDS : null);

/**
 * The consumer by name, without a request for its info: the role has no such permission, and the consumer need not exist yet.
 * The library reads only these three fields of a `ConsumerInfo`.
 */
function consumerOf({ nats, env, stream }: WorkConsumerOptions): Consumer {
  const named = { stream_name: workStreamName(stream, env), name: stream.worker, config: { durable_name: stream.worker } };
  return jetstream(nats).consumers.getConsumerFromInfo(named as unknown as ConsumerInfo);
}

/**
 * Batches messages: the first one begins a batch, and those that arrive within `gatherMs` join it.
 * @throws the error that ended the messages, after the last batch.
 */
async function* gathered(messages: ConsumerMessages, gatherMs: () => number): AsyncGenerator<readonly JsMsg[]> {
  const source = messages[Symbol.asyncIterator]();
  let failure: Error | undefined;
  const take = async (): Promise<JsMsg | null> => {
    try {
      const result = await source.next();
      return result.done === true ? null : result.value;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      return null;
    }
  };
  let next = take();
  for (let first = await next; first; first = await next) {
    const batch = [first];
    next = take();
    const over = delay(gatherMs(), null);
    while (batch.length < BATCH) {
      const message = await Promise.race([next, over]);
      if (!message) break;
      batch.push(message);
      next = take();
    }
    yield batch;
  }
  if (failure) throw failure;
}
