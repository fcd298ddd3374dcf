import { Module } from '@nestjs/common';
import {
  GatewayHeartbeat,
  type GatheredUsage,
  type Incarnation,
  subjectOf,
  USAGE_RECORDS_MAX,
  type UsageRecord,
  UsageRecorded,
} from '@slipway/contracts';
import {
  CONFIG,
  eachSecond,
  LOG,
  type Logger,
  type NatsConnection,
  OpenSet,
  RecordSpool,
  type SpoolCounters,
  StreamClaims,
} from '@slipway/platform';
import type { GatewayConfig } from '../config.js';
import { BULK, GATEWAY_ID } from '../tokens.js';
import {
  boundsOf,
  type MeteredRequest,
  type MeterListener,
  type RefusedRequest,
  RefusedRequests,
  RequestMeter,
  startedAt,
} from './request-meter.js';

/** Most records waiting for JetStream: minutes of an outage, about 100 MB. */
const RECORDS_MAX = 100_000;
/** Interval of records for a running request, in milliseconds. */
const INTERIM_MS = 60_000;
/** How long a record waits to share a message with others, in milliseconds; JetStream is the largest cost per request. */
const GATHER_MS = 250;
/** Interval of reports of refused requests, in milliseconds. */
const REFUSED_MS = 10_000;
/** Most waiting messages about refused requests. */
const REFUSED_MESSAGES_MAX = 1_000;
/** Interval at which a stop checks whether the last requests are over, in milliseconds. */
const SETTLE_CHECK_MS = 10;

export interface UsageReporterOptions {
  /** The connection for bulk data. */
  readonly nats: NatsConnection;
  readonly env: string;
  readonly gw: Incarnation;
  readonly claims: StreamClaims;
  readonly log: Logger;
  /** Interval of records for a running request, in milliseconds; default: a minute. */
  readonly interimMs?: number | undefined;
}

/** Reports usage to keys-service, and sends workers the gateway's heartbeat. Streams never wait for it. */
export class UsageReporter {
  readonly #spool: RecordSpool;
  readonly #refusedSpool: RecordSpool;
  readonly #refused = new RefusedRequests(() => Date.now());
  #refusedReportedAt = performance.now();
  readonly #open = new OpenSet<RequestMeter>();
  readonly #heartbeatSubject: string;
  readonly #listener: MeterListener = {
    over: (ended, hasWorkerCount) => {
      this.#open.delete(ended);
      // Without a worker that would report it if this process dies, the record is sent at once.
      this.#spool.put(ended.id, ended.record(), !hasWorkerCount);
    },
  };
  #endSeconds: (() => void) | undefined;

  constructor(private readonly options: UsageReporterOptions) {
    const { nats, env, gw, log } = options;
    const gathering = {
      waitMs: GATHER_MS,
      recordsMax: USAGE_RECORDS_MAX,
      message: (records: readonly object[]): GatheredUsage => ({ records: records as UsageRecord[] }),
    };
    const subject = subjectOf(UsageRecorded, { env });
    this.#spool = new RecordSpool({ nats, log, subject, recordsMax: RECORDS_MAX, gathering });
    this.#refusedSpool = new RecordSpool({ nats, log, subject, recordsMax: REFUSED_MESSAGES_MAX });
    this.#heartbeatSubject = subjectOf(GatewayHeartbeat, { env, gw });
  }

  /** Counters for the metrics. */
  get counters(): Readonly<SpoolCounters> {
    return this.#spool.counters;
  }

  /** Records that are not stored yet. */
  get waiting(): number {
    return this.#spool.waiting;
  }

  start(): void {
    this.#sendHeartbeat();
    this.#endSeconds = eachSecond(() => {
      this.#sendHeartbeat();
      this.#reportRunning();
      if (performance.now() - this.#refusedReportedAt >= REFUSED_MS) this.#reportRefused();
    });
  }

  /** Counts a refused request, which has no record of its own. */
  countRefused(request: RefusedRequest): void {
    this.#refused.add(request);
  }

  /** The claim by which a worker can report the request's usage if this process dies. */
  claimOf(request: Pick<MeteredRequest, 'context' | 'streamId' | 'maxTokens' | 'choices' | 'promptUnits'>): string {
    const { claims, gw } = this.options;
    const { caller, deployment } = request.context;
    const { facts } = deployment;
    const stream = { st: request.streamId, gw, account: caller.account.id, key: caller.key.id, deployment: facts.id };
    return claims.make(stream, { started: startedAt(request.context), ...boundsOf(request, facts.context) });
  }

  /** Starts counting a request. */
  open(request: MeteredRequest): RequestMeter {
    const meter = new RequestMeter(request, this.#listener);
    this.#open.add(meter);
    return meter;
  }

  /** Waits up to `ms` until all records are stored. The rest is lost, and logged. */
  async stop(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (this.#open.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, SETTLE_CHECK_MS));
    for (const meter of this.#open) this.#spool.put(meter.id, meter.record());
    this.#reportRefused();
    const left = end - performance.now();
    await Promise.all([this.#spool.drain(left), this.#refusedSpool.drain(left)]);
    this.#endSeconds?.();
    this.#spool.stop();
    this.#refusedSpool.stop();
  }

  #sendHeartbeat(): void {
    const { nats, gw } = this.options;
    if (nats.isClosed()) return;
    nats.publish(this.#heartbeatSubject, JSON.stringify({ gw, owes_ms: Math.ceil(this.#spool.oldestMs()) }));
  }

  #reportRefused(): void {
    this.#refusedReportedAt = performance.now();
    for (const refused of this.#refused.take()) {
      const message: GatheredUsage = { records: [], refused };
      this.#refusedSpool.put(refused[0]?.id ?? '', message);
    }
  }

  #reportRunning(): void {
    const now = performance.now();
    const { interimMs = INTERIM_MS } = this.options;
    for (const meter of this.#open) {
      if (now - meter.reportedAt < interimMs) continue;
      meter.reportedAt = now;
      this.#spool.put(meter.id, meter.record());
    }
  }
}

function reporterOf(nats: NatsConnection, config: GatewayConfig, gw: Incarnation, log: Logger): UsageReporter {
  return new UsageReporter({ nats, env: config.SLIPWAY_ENV, gw, claims: new StreamClaims(config.KEY_PEPPERS), log });
}

/** Reports of usage to keys-service. */
@Module({
  providers: [{ provide: UsageReporter, useFactory: reporterOf, inject: [BULK, CONFIG, GATEWAY_ID, LOG] }],
  exports: [UsageReporter],
})
export class UsageModule {}
