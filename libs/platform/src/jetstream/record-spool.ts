import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Logger } from '../log/logger.js';
import { watchConnection } from '../nats/connect.js';
import { askJetStream } from './stream-api.js';

/** Records that are on their way at once. */
const IN_FLIGHT_MAX = 64;
const ANSWER_MS = 5_000;
/** Pause after a failure; it doubles up to the longest. */
const PAUSE_MS = 100;
const PAUSE_MS_MAX = 2_000;

const Kept = z.object({ seq: z.int().positive() });

export interface SpoolOptions {
  readonly nats: NatsConnection;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly subject: string;
  /** Records that wait at most; those that come then are dropped, counted and logged. */
  readonly recordsMax: number;
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
  record: object;
  readonly since: number;
  sending: boolean;
}

/**
 * Brings records to JetStream without anybody having to wait: they stay in memory until the server has said that it keeps
 * them, through outages too. Of records with one name, which only grow, the newest goes.
 */
export class RecordSpool {
  readonly counters: SpoolCounters = { kept: 0, repeated: 0, dropped: 0 };
  readonly #entries = new Map<string, Entry>();
  #inFlight = 0;
  #pauseMs = 0;
  #pause: NodeJS.Timeout | undefined;
  #up = true;
  #failing = false;
  #dropping = false;
  #stopped = false;
  #empty: (() => void) | undefined;

  constructor(private readonly options: SpoolOptions) {
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
    for (const { since } of this.#entries.values()) return now - since;
    return 0;
  }

  /** Takes a record and returns at once. A later one of the same name replaces it while it waits. */
  put(name: string, record: object): void {
    const waiting = this.#entries.get(name);
    if (waiting) {
      waiting.record = record;
      return;
    }
    if (this.#entries.size >= this.options.recordsMax) return this.#drop();
    this.#entries.set(name, { record, since: performance.now(), sending: false });
    this.#send();
  }

  /** Resolves when all records are kept, when nobody is there to keep them, or after `ms`. */
  async drain(ms: number): Promise<void> {
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
    const lost = this.#entries.size;
    if (lost > 0) this.options.log.error({ subject: this.options.subject, records: lost }, 'spool.left_behind');
    return lost;
  }

  #send(): void {
    if (this.#stopped || !this.#up || this.#pause || this.#inFlight >= IN_FLIGHT_MAX) return;
    for (const [name, entry] of this.#entries) {
      if (entry.sending) continue;
      void this.#sendOne(name, entry);
      if (this.#inFlight >= IN_FLIGHT_MAX) return;
    }
  }

  async #sendOne(name: string, entry: Entry): Promise<void> {
    const { nats, subject } = this.options;
    const { record } = entry;
    entry.sending = true;
    this.#inFlight += 1;
    try {
      const { seq } = Kept.parse(await askJetStream(nats, subject, record, ANSWER_MS));
      this.#wasKept(name, entry, record, seq);
    } catch (error) {
      this.#failed(error);
    } finally {
      entry.sending = false;
      this.#inFlight -= 1;
    }
    this.#send();
  }

  #wasKept(name: string, entry: Entry, record: object, place: number): void {
    this.counters.kept += 1;
    this.#pauseMs = 0;
    this.#dropping = false;
    if (this.#failing) this.options.log.info({ subject: this.options.subject, waiting: this.#entries.size }, 'spool.recovered');
    this.#failing = false;
    // A newer record of the name came meanwhile: it goes next.
    if (entry.record === record) this.#entries.delete(name);
    this.options.kept?.(record, place);
    if (this.#entries.size === 0) this.#empty?.();
  }

  #failed(error: unknown): void {
    this.counters.repeated += 1;
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
    this.#send();
  }

  #drop(): void {
    this.counters.dropped += 1;
    if (!this.#dropping) this.options.log.error({ subject: this.options.subject, waiting: this.#entries.size }, 'spool.full');
    this.#dropping = true;
  }
}
