import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Logger } from '../log/logger.js';
import { OpenTable } from '../collections/open-table.js';
import { watchConnection } from '../nats/connect.js';
import { askJetStream } from './stream-api.js';

/** Messages that are on their way at once. */
const IN_FLIGHT_MAX = 64;
const ANSWER_MS = 5_000;
/** Pause after a failure; it doubles up to the longest. */
const PAUSE_MS = 100;
const PAUSE_MS_MAX = 2_000;

const Kept = z.object({ seq: z.int().positive() });

/** How records are put together into one message. */
export interface Gathering {
  /** What one waits for others at most, in milliseconds. */
  readonly waitMs: number;
  /** Records of one message at most. Together they must stay below the largest message that the server takes. */
  readonly recordsMax: number;
  /** The message of several records; one record is its own. */
  readonly message: (records: readonly object[]) => object;
}

/** What a `RecordSpool` needs. */
export interface SpoolOptions {
  readonly nats: NatsConnection;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly subject: string;
  /** Records that wait at most; those that come then are dropped, counted and logged. */
  readonly recordsMax: number;
  /** Absent = each record goes by itself, at once. */
  readonly gathering?: Gathering;
  /** JetStream keeps a record now, at this place of its stream. */
  readonly kept?: (record: object, place: number) => void;
}

/** What became of records since the start; the figures only rise. */
export interface SpoolCounters {
  kept: number;
  /** Were not kept in time and are sent again. */
  repeated: number;
  /** Lost, because too many waited. */
  dropped: number;
}

interface Entry {
  readonly name: string;
  record: object;
  readonly since: number;
}

/** An entry, and what it held when it was sent. */
interface Sent {
  readonly entry: Entry;
  readonly record: object;
}

/**
 * Brings records to JetStream without anybody having to wait: they stay in memory until the server has said that it keeps
 * them, through outages too. Of records with one name, which only grow, the newest goes.
 */
export class RecordSpool {
  readonly counters: SpoolCounters = { kept: 0, repeated: 0, dropped: 0 };
  /** All that are not kept. */
  readonly #entries = new OpenTable<Entry>();
  /** Those of them that are not on their way, oldest first. */
  #unsent: Entry[] = [];
  /** The messages that are on their way, oldest first. */
  readonly #sent: (readonly Sent[])[] = [];
  readonly #messageMax: number;
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

  /** Records that are not kept yet. */
  get waiting(): number {
    return this.#entries.size;
  }

  /** For how long the oldest record has waited, in milliseconds; 0 when none waits. */
  oldestMs(now = performance.now()): number {
    const since = Math.min(this.#unsent[0]?.since ?? now, this.#sent[0]?.[0]?.entry.since ?? now);
    return now - since;
  }

  /**
   * Takes a record and returns at once. A later one of the same name replaces it while it waits.
   * @param atOnce it waits for no others; those that wait go with it.
   */
  put(name: string, record: object, atOnce = false): void {
    const waiting = this.#entries.get(name);
    if (waiting) waiting.record = record;
    else if (this.#entries.size >= this.options.recordsMax) return this.#drop();
    else this.#add({ name, record, since: performance.now() });
    this.#send(atOnce || this.#draining);
    return undefined;
  }

  /** Resolves when all records are kept, when nobody is there to keep them, or after `ms`. What comes meanwhile waits for nothing. */
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

  /** Sends nothing more. @returns how many records were not kept. */
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

  /** Sends full messages, as far as there is room on the way. @param all the last one need not be full. */
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
    const { nats, subject } = this.options;
    this.#sent.push(sent);
    try {
      const { seq } = Kept.parse(await askJetStream(nats, subject, this.#messageOf(sent), ANSWER_MS));
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
      // A newer record of the name came meanwhile: it goes next.
      else this.#unsent.push(entry);
      this.options.kept?.(record, place);
    }
    if (this.#entries.size === 0) this.#empty?.();
  }

  #failed(error: unknown, records: number): void {
    this.counters.repeated += records;
    if (!this.#failing) {
      const reason = error instanceof Error ? error.message : String(error);
      this.options.log.warn({ subject: this.options.subject, waiting: this.#entries.size, reason }, 'spool.not_kept');
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
