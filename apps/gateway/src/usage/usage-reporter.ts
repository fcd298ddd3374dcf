import {
  type GatheredUsage,
  GatewayBeat,
  type Incarnation,
  subjectOf,
  USAGE_RECORDS_MAX,
  type UsageRecord,
  UsageRecorded,
} from '@slipway/contracts';
import { type Logger, type NatsConnection, OpenSet, RecordSpool, type SpoolCounters, type StreamClaims } from '@slipway/platform';
import { type Refusal, RefusalCounts } from './refusal-counts.js';
import { boundsOf, type MeteredRequest, type MeterListener, RequestMeter, startedAt } from './request-meter.js';

/** Requests that wait for JetStream at most: minutes of an outage, some 100 MB. */
const RECORDS_MAX = 100_000;
/** A request that runs on tells this often what it has used, in milliseconds. */
const INTERIM_MS = 60_000;
const BEAT_MS = 1_000;
/** A record waits this long at most for others to travel with, in milliseconds: a message costs JetStream more than a request costs NATS besides. */
const GATHER_MS = 50;
/** How often refused requests are told, in milliseconds. */
const REFUSED_MS = 10_000;
/** Messages about refused requests that wait at most. */
const REFUSED_MESSAGES_MAX = 1_000;
/** How often a stop looks whether the last requests have been counted, in milliseconds. */
const SETTLE_CHECK_MS = 10;

export interface UsageReporterOptions {
  /** A connection that tokens do not wait behind. */
  readonly nats: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly claims: StreamClaims;
  readonly log: Logger;
  /** Longest time between two records of a running request, in milliseconds; a minute unless a test has less patience. */
  readonly interimMs?: number | undefined;
}

/** Tells keys-service what requests used, and workers that somebody does. Nothing of it holds up a stream. */
export class UsageReporter {
  readonly #spool: RecordSpool;
  readonly #refusals: RecordSpool;
  readonly #refused = new RefusalCounts(() => Date.now());
  #refusedToldAt = performance.now();
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
    const subject = subjectOf(UsageRecorded, { env });
    this.#spool = new RecordSpool({ nats, log, subject, recordsMax: RECORDS_MAX, gathering });
    this.#refusals = new RecordSpool({ nats, log, subject, recordsMax: REFUSED_MESSAGES_MAX });
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
      if (performance.now() - this.#refusedToldAt >= REFUSED_MS) this.#tellRefused();
    }, BEAT_MS);
  }

  /** Counts a request that was refused and has no record of its own. */
  refused(refusal: Refusal): void {
    this.#refused.add(refusal);
  }

  /** What its worker shows to keys-service, should this process die before it has told what the request used. */
  claimOf(request: Pick<MeteredRequest, 'call' | 'streamId' | 'maxTokens' | 'choices'>): string {
    const { claims, gw } = this.options;
    const { caller, deployment } = request.call;
    const { facts } = deployment;
    const stream = { st: request.streamId, gw, account: caller.account.id, key: caller.key.id, deployment: facts.id };
    return claims.make(stream, { ...boundsOf(request, facts.context), started: startedAt(request.call) });
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
    this.#tellRefused();
    const left = end - performance.now();
    await Promise.all([this.#spool.drain(left), this.#refusals.drain(left)]);
    clearInterval(this.#timer);
    this.#spool.stop();
    this.#refusals.stop();
  }

  #beat(): void {
    const { nats, gw } = this.options;
    if (nats.isClosed()) return;
    nats.publish(this.#beatSubject, JSON.stringify({ gw, owes_ms: Math.ceil(this.#spool.oldestMs()) }));
  }

  #tellRefused(): void {
    this.#refusedToldAt = performance.now();
    for (const refused of this.#refused.take()) {
      const message: GatheredUsage = { records: [], refused };
      this.#refusals.put(refused[0]?.id ?? '', message);
    }
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
