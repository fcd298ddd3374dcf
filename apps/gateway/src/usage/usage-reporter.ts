import {
  type GatheredUsage,
  GatewayBeat,
  type Incarnation,
  subjectOf,
  USAGE_RECORDS_MAX,
  type UsageRecord,
  UsageRecorded,
} from '@slipway/contracts';
import { type Logger, type NatsConnection, OpenSet, RecordSpool, type SpoolCounters } from '@slipway/platform';
import { type MeteredRequest, type MeterListener, RequestMeter } from './request-meter.js';

/** Requests that wait for JetStream at most: minutes of an outage, some 100 MB. */
const RECORDS_MAX = 100_000;
/** A request that runs on tells this often what it has used, in milliseconds. */
const INTERIM_MS = 60_000;
const BEAT_MS = 1_000;
/** A record waits this long at most for others to travel with, in milliseconds: a message costs JetStream more than a request costs NATS besides. */
const GATHER_MS = 50;
/** How often a stop looks whether the last requests have been counted, in milliseconds. */
const SETTLE_CHECK_MS = 10;

export interface UsageReporterOptions {
  /** A connection that tokens do not wait behind. */
  readonly nats: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly log: Logger;
  /** Longest time between two records of a running request, in milliseconds; a minute unless a test has less patience. */
  readonly interimMs?: number | undefined;
}

/** Tells keys-service what requests used, and workers that somebody does. Nothing of it holds up a stream. */
export class UsageReporter {
  readonly #spool: RecordSpool;
  readonly #open = new OpenSet<RequestMeter>();
  readonly #beatSubject: string;
  readonly #listener: MeterListener = {
    over: (ended, isToldTwice) => {
      this.#open.delete(ended);
      // Should this process die now, its worker tells what it used. Where none could, the record waits for nothing.
      this.#spool.put(ended.id, ended.record(), !isToldTwice);
    },
  };
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: UsageReporterOptions) {
    const { nats, env, gw, log } = options;
    const gathering = {
      waitMs: GATHER_MS,
      recordsMax: USAGE_RECORDS_MAX,
      message: (records: readonly object[]): GatheredUsage => ({ records: records as UsageRecord[] }),
    };
    this.#spool = new RecordSpool({ nats, log, subject: subjectOf(UsageRecorded, { env }), recordsMax: RECORDS_MAX, gathering });
    this.#beatSubject = subjectOf(GatewayBeat, { env, gw });
  }

  /** For metrics. */
  get counters(): Readonly<SpoolCounters> {
    return this.#spool.counters;
  }

  /** Records that are not kept yet. */
  get waiting(): number {
    return this.#spool.waiting;
  }

  start(): void {
    this.#beat();
    this.#timer = setInterval(() => {
      this.#beat();
      this.#tellRunning();
    }, BEAT_MS);
  }

  /** Begins to count a request. */
  open(request: MeteredRequest): RequestMeter {
    const meter = new RequestMeter(request, this.#listener);
    this.#open.add(meter);
    return meter;
  }

  /** Waits until all requests are counted and kept, `ms` at most; what is left then is lost with the process, and logged. */
  async stop(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (this.#open.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, SETTLE_CHECK_MS));
    for (const meter of this.#open) this.#spool.put(meter.id, meter.record());
    await this.#spool.drain(end - performance.now());
    clearInterval(this.#timer);
    this.#spool.stop();
  }

  #beat(): void {
    const { nats, gw } = this.options;
    if (nats.isClosed()) return;
    nats.publish(this.#beatSubject, JSON.stringify({ gw, owes_ms: Math.ceil(this.#spool.oldestMs()) }));
  }

  #tellRunning(): void {
    const now = performance.now();
    const { interimMs = INTERIM_MS } = this.options;
    for (const meter of this.#open) {
      if (now - meter.toldAt < interimMs) continue;
      meter.toldAt = now;
      this.#spool.put(meter.id, meter.record());
    }
  }
}
