import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../log/logger.js';
import { OpenTable } from '../collections/open-table.js';
import { watchConnection } from '../nats/watch-connection.js';

/** Most messages without JetStream's acknowledgement. */
const IN_FLIGHT_MAX = 64;
/** Timeout of JetStream's acknowledgement, in milliseconds. */
const ANSWER_MS = 5_000;
/** Pause after a failure, in milliseconds; it doubles up to the longest. */
const PAUSE_MS = 100;
const PAUSE_MS_MAX = 2_000;

/** How records are batched into messages. */
export interface Gathering {
  /** Longest wait of a record for others, in milliseconds. */
  readonly waitMs: number;
  /** Most records in one message. Together they must be smaller than the server's largest message. */
  readonly recordsMax: number;
  /** Makes the message for several records; a single record is sent as it is. */
  readonly message: (records: readonly object[]) => object;
}

/** Where records go, and how many may wait. */
export interface SpoolOptions {
  readonly nats: NatsConnection;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly subject: string;
  /** Most waiting records; further ones are dropped, counted and logged. */
  readonly recordsMax: number;
  /** Absent = each record is sent at once in its own message. */
  readonly gathering?: Gathering;
  /** Called when JetStream has stored a record, with its sequence number in the stream. */
  readonly kept?: (record: object, place: number) => void;
}

/** Numbers of records since the start. */
export interface SpoolCounters {
  kept: number;
  /** Not acknowledged in time and sent again. */
  repeated: number;
  /** Dropped because too many waited. */
  dropped: number;
}

interface Entry {
  readonly name: string;
  record: object;
  readonly since: number;
}

/** An entry and the record that was sent for it. */
interface Sent {
  readonly entry: Entry;
  readonly record: object;
}

/**
 * Sends records to JetStream asynchronously. Records stay in memory until the server has acknowledged them, also through outages.
 * Of several records with one name only the newest is sent.
 */
export class RecordSpool {
  readonly counters: SpoolCounters = { kept: 0, repeated: 0, dropped: 0 };
  /** Unacknowledged entries. */
  readonly #entries = new OpenTable<Entry>();
  /** Unsent entries, oldest first. */
  #unsent: Entry[] = [];
  /** Unacknowledged messages, oldest first. */
  readonly #sent: (readonly Sent[])[] = [];
  readonly #messageMax: number;
  readonly #jetStream: JetStreamClient;
  #gatherer: NodeJS.Timeout | undefined;
  #pauseMs = 0;
  #pause: NodeJS.Timeout | undefined;
  #up = true;
  #failing = false;
  #dropping = false;
  #draining = false;
  #stopped = false;
  #empty: (() => void) | undefined;

  constructor(private readonly options: SpoolOptions) {
    this.#messageMax = options.gathering?.recordsMax ?? 1;
    this.#jetStream = jetstream(options.nats, { timeout: ANSWER_MS });
    watchConnection(options.nats, {
      disconnected: () => {
        this.#up = false;
      },
      reconnected: () => {
        this.#up = true;
        this.#resume();
      },
    });
  }

  /** Number of unacknowledged records. */
  get waiting(): number {
    return this.#entries.size;
  }

  /** Age of the oldest unacknowledged record, in milliseconds; 0 = none. */
  oldestMs(now = performance.now()): number {
    const since = Math.min(this.#unsent[0]?.since ?? now, this.#sent[0]?.[0]?.entry.since ?? now);
    return now - since;
  }

  /**
   * Queues a record and returns at once. A later record of the same name replaces it while it waits.
   * @param atOnce sends it now, together with the waiting ones.
   */
  put(name: string, record: object, atOnce = false): void {
    const waiting = this.#entries.get(name);
    if (waiting) waiting.record = record;
    else if (this.#entries.size >= this.options.recordsMax) return this.#drop();
    else this.#add({ name, record, since: performance.now() });
    this.#send(atOnce || this.#draining);
    return undefined;
  }

  /** Resolves when all records are acknowledged, when JetStream fails, or after `ms`. From now on records are sent at once. */
  async drain(ms: number): Promise<void> {
    this.#draining = true;
    if (this.#entries.size === 0 || ms <= 0) return;
    this.#resume();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#empty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#empty = undefined;
  }

  /** Stops sending. @returns the number of unacknowledged records. */
  stop(): number {
    this.#stopped = true;
    clearTimeout(this.#pause);
    clearTimeout(this.#gatherer);
    const lost = this.#entries.size;
    if (lost > 0) this.options.log.error({ subject: this.options.subject, records: lost }, 'spool.left_behind');
    return lost;
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.name, entry);
    this.#unsent.push(entry);
  }

  /** Sends full messages, at most `IN_FLIGHT_MAX` at once. @param all also sends a last message that is not full. */
  #send(all: boolean): void {
    if (this.#stopped || !this.#up || this.#pause) return;
    const least = all ? 1 : this.#messageMax;
    while (this.#unsent.length >= least && this.#sent.length < IN_FLIGHT_MAX) void this.#sendMessage(this.#nextOnes());
    if (this.#unsent.length > 0) this.#gatherer ??= setTimeout(() => this.#gathered(), this.options.gathering?.waitMs ?? 0);
  }

  #gathered(): void {
    this.#gatherer = undefined;
    this.#send(true);
  }

  #nextOnes(): Sent[] {
    return this.#unsent.splice(0, this.#messageMax).map((entry) => ({ entry, record: entry.record }));
  }

  async #sendMessage(sent: readonly Sent[]): Promise<void> {
    const { subject } = this.options;
    this.#sent.push(sent);
    try {
      const { seq } = await this.#jetStream.publish(subject, JSON.stringify(this.#messageOf(sent)));
      this.#wereKept(sent, seq);
    } catch (error) {
      this.#unsent = [...sent.map(({ entry }) => entry), ...this.#unsent];
      this.#failed(error, sent.length);
    } finally {
      this.#sent.splice(this.#sent.indexOf(sent), 1);
    }
    this.#send(this.#draining);
  }

  #messageOf(sent: readonly Sent[]): object {
    const [first] = sent;
    const { gathering } = this.options;
    return first && (sent.length === 1 || !gathering) ? first.record : (gathering?.message(sent.map(({ record }) => record)) ?? {});
  }

  #wereKept(sent: readonly Sent[], place: number): void {
    this.counters.kept += sent.length;
    this.#pauseMs = 0;
    this.#dropping = false;
    if (this.#failing) this.options.log.info({ subject: this.options.subject, waiting: this.#entries.size }, 'spool.recovered');
    this.#failing = false;
    for (const { entry, record } of sent) {
      if (entry.record === record) this.#entries.delete(entry.name);
      // A newer record of this name was queued meanwhile and is sent next.
      else this.#unsent.push(entry);
      this.options.kept?.(record, place);
    }
    if (this.#entries.size === 0) this.#empty?.();
  }

  #failed(error: unknown, records: number): void {
    this.counters.repeated += records;
    if (!this.#failing) {
      this.options.log.warn({ subject: this.options.subject, waiting: this.#entries.size, reason: reasonOf(error) }, 'spool.not_kept');
    }
    this.#failing = true;
    this.#empty?.();
    if (this.#pause || this.#stopped) return;
    this.#pauseMs = Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS, 2 * this.#pauseMs));
    this.#pause = setTimeout(() => this.#resume(), this.#pauseMs).unref();
  }

  #resume(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#send(true);
  }

  #drop(): void {
    this.counters.dropped += 1;
    if (!this.#dropping) this.options.log.error({ subject: this.options.subject, waiting: this.#entries.size }, 'spool.full');
    this.#dropping = true;
  }
}

/** The library reports "jetstream is not enabled" also where only the stream is missing: both have no responders. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof errors.RequestError ? 'no stream takes this subject' : error.message;
}
