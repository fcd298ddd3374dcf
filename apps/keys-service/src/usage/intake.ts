import { Inject, Injectable } from '@nestjs/common';
import {
  type EventContract,
  LimitUse,
  OrphanUsage,
  RefusedUsage,
  UsageOrphaned,
  UsageRecord,
  UsageRecorded,
  UsageStream,
  subjectOf,
} from '@slipway/contracts';
import { CONFIG, LOG, type Logger, NATS, type NatsConnection, type Subscription, WorkConsumer, type WorkItem } from '@slipway/platform';
import { Counter, Gauge, Registry } from '@slipway/platform/metrics';
import { z } from 'zod';
import type { KeysConfig } from '../config.js';
import { CLOCK_SKEW_MS, REQUEST_DAYS } from './entry.js';
import { LimitUseMemory } from './limit-use-memory.js';
import { Ledger } from './ledger.service.js';
import { type RejectedUsage, unreadable } from './rejected-usage.repository.js';

/** Longest time between two looks for due orphans, in milliseconds. */
const SWEEP_MS = 30_000;
const PRUNE_MS = 3_600_000;
/** Records per transaction. */
const TRANSACTION_RECORDS = 1_000;

/** Does not parse the records: `GatheredUsage` would reject all of them for one that is invalid. */
const Gathered = z.object({ records: z.array(z.unknown()), refused: z.array(z.unknown()).optional() });

/** Parsed records of a delivery. */
interface Parsed<T> {
  readonly readable: readonly T[];
  readonly rejected: readonly RejectedUsage[];
}

function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return null;
  }
}

/** The records of a message: itself, or those that it gathers. Each is parsed by itself, so that an invalid one affects no other. */
const gatheredIn = (message: unknown): z.output<typeof Gathered> => Gathered.safeParse(message).data ?? { records: [message] };

/** Takes usage from JetStream into the ledger, and removes old rows from it. */
@Injectable()
export class UsageIntake {
  readonly #nats: NatsConnection;
  readonly #log: Logger;
  readonly #ledger: Ledger;
  readonly #memory: LimitUseMemory;
  readonly #env: string;
  /** How long a worker's count waits for its gateway's record, in milliseconds. */
  readonly #orphanWaitMs: number;
  readonly #rejections: Counter<'why'>;
  readonly #consumer: WorkConsumer;
  readonly #recorded: string;
  #uses: Subscription | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #prunedAt = 0;

  constructor(
    @Inject(NATS) nats: NatsConnection,
    @Inject(CONFIG) { SLIPWAY_ENV: env, USAGE_ORPHAN_WAIT_MS: orphanWaitMs }: KeysConfig,
    @Inject(LOG) log: Logger,
    ledger: Ledger,
    memory: LimitUseMemory,
    metrics: Registry,
  ) {
    this.#nats = nats;
    this.#log = log;
    this.#ledger = ledger;
    this.#memory = memory;
    this.#env = env;
    this.#orphanWaitMs = orphanWaitMs;
    this.#rejections = new Counter({
      name: 'slipway_usage_rejected_total',
      help: 'Records of usage that could not be counted and were set aside.',
      labelNames: ['why'],
      registers: [metrics],
    });
    this.#recorded = subjectOf(UsageRecorded, { env });
    this.#consumer = new WorkConsumer({ nats, env, log, stream: UsageStream, work: (items) => this.#take(items) });
    const lag: Gauge = new Gauge({
      name: 'slipway_ledger_lag_seconds',
      help: 'Age of the oldest record of usage that is not in the ledger.',
      registers: [metrics],
      collect: () => lag.set(this.#consumer.lagMs / 1_000),
    });
  }

  start(): void {
    this.#consumer.start();
    this.#uses = this.#nats.subscribe(subjectOf(LimitUse, { env: this.#env }), {
      callback: (error, { data }) => {
        const use = error ? undefined : LimitUse.message.safeParse(parse(data)).data;
        if (use) this.#memory.record(use, performance.now());
      },
    });
    this.#sweeper = setInterval(
      () => {
        this.#sweeping = this.#sweeping.then(() => this.#sweep());
      },
      Math.min(SWEEP_MS, Math.max(250, this.#orphanWaitMs / 4)),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#uses?.unsubscribe();
    await this.#consumer.stop();
    await this.#sweeping;
  }

  async #take(items: readonly WorkItem[]): Promise<void> {
    const messages = items.map(({ subject, data }) => ({ subject, message: parse(data) }));
    const ofGateways = messages.filter(({ subject }) => subject === this.#recorded).map(({ message }) => gatheredIn(message));
    const ofWorkers = messages.filter(({ subject }) => subject !== this.#recorded).map(({ message }) => message);
    const records = this.#readable(
      UsageRecord,
      ofGateways.flatMap(({ records: some }) => some),
      UsageRecorded,
    );
    const refused = this.#readable(
      RefusedUsage,
      ofGateways.flatMap(({ refused: some = [] }) => some),
      UsageRecorded,
    );
    let orphans = this.#readable(OrphanUsage, ofWorkers, UsageOrphaned);
    const ledger = this.#ledger;
    const unreadables = [...records.rejected, ...refused.rejected, ...orphans.rejected];
    await ledger.setAside(unreadables);
    this.#report(await ledger.addRefused(refused.readable));
    let from = 0;
    // If a later transaction fails, all records are delivered again; those that are written already count once.
    do {
      const delivery = { records: records.readable.slice(from, from + TRANSACTION_RECORDS), orphans: orphans.readable };
      this.#report(await ledger.add(delivery));
      orphans = { readable: [], rejected: [] };
      from += TRANSACTION_RECORDS;
    } while (from < records.readable.length);
    this.#report(unreadables);
  }

  #readable<S extends z.ZodType<{ readonly started: number }>>(
    schema: S,
    messages: readonly unknown[],
    event: EventContract,
  ): Parsed<z.output<S>> {
    const latest = Date.now() + CLOCK_SKEW_MS;
    const timely = schema.refine(({ started }) => started <= latest, { path: ['started'], message: 'It begins in the future.' });
    const read = messages.map((message) => ({ message, ...timely.safeParse(message) }));
    return {
      readable: read.flatMap((one) => (one.success ? [one.data] : [])),
      rejected: read.flatMap((one) => (one.success ? [] : [unreadable(event, one.message, one.error)])),
    };
  }

  /** Logs and counts usage that was set aside. */
  #report(rejected: readonly RejectedUsage[]): void {
    for (const { subject, why, reason } of rejected) {
      this.#rejections.inc({ why });
      this.#log.error({ subject, why, reason }, 'usage.rejected');
    }
  }

  async #sweep(): Promise<void> {
    const [ledger, log] = [this.#ledger, this.#log];
    try {
      const { adopted, rejected } = await ledger.adoptOrphans(this.#orphanWaitMs);
      this.#report(rejected);
      if (adopted > 0) log.warn({ requests: adopted }, 'usage.orphans_counted');
      if (Date.now() - this.#prunedAt < PRUNE_MS) return;
      await ledger.prune(REQUEST_DAYS);
      this.#prunedAt = Date.now();
    } catch (error) {
      log.warn({ err: error }, 'usage.sweep_failed');
    }
  }
}
