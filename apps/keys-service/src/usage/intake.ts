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
import {
  CONFIG,
  Counter,
  LOG,
  type Logger,
  NATS,
  type NatsConnection,
  Registry,
  type Subscription,
  WorkConsumer,
  type WorkItem,
} from '@slipway/platform';
import { z } from 'zod';
import type { KeysConfig } from '../config.js';
import { CLOCKS_DIFFER_MS, REQUEST_DAYS } from './entry.js';
import { LimitUseMemory } from './limit-use-memory.js';
import { Ledger } from './ledger.service.js';
import { type RejectedUsage, unreadable } from './rejected-usage.repository.js';

/** How often orphans are looked for, at most, in milliseconds. */
const SWEEP_MS = 30_000;
const PRUNE_MS = 3_600_000;
/** Records that one transaction writes at most. */
const TRANSACTION_RECORDS = 1_000;

/** Its records are not read here yet: `GatheredUsage` would refuse all of them for one. */
const Gathered = z.object({ records: z.array(z.unknown()), refused: z.array(z.unknown()).optional() });

/** Records of a delivery. */
interface Read<T> {
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

/** The records of a message: its own, or those that were gathered in it. Each is read by itself, so that one spoils no other. */
const recordsIn = (message: unknown): readonly unknown[] => Gathered.safeParse(message).data?.records ?? [message];
const refusedIn = (message: unknown): readonly unknown[] => Gathered.safeParse(message).data?.refused ?? [];

/** Brings usage from JetStream into the ledger, and keeps the ledger in order. */
@Injectable()
export class UsageIntake {
  readonly #nats: NatsConnection;
  readonly #log: Logger;
  readonly #ledger: Ledger;
  readonly #memory: LimitUseMemory;
  readonly #env: string;
  /** How long a gateway's own record is waited for before a worker's counts are taken, in milliseconds. */
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
  }

  start(): void {
    this.#consumer.start();
    this.#uses = this.#nats.subscribe(subjectOf(LimitUse, { env: this.#env }), {
      callback: (error, { data }) => {
        const use = error ? undefined : LimitUse.message.safeParse(parse(data)).data;
        if (use) this.#memory.heard(use, performance.now());
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
    const ofGateways = messages.filter(({ subject }) => subject === this.#recorded).map(({ message }) => message);
    const ofWorkers = messages.filter(({ subject }) => subject !== this.#recorded).map(({ message }) => message);
    const records = this.#readable(UsageRecord, ofGateways.flatMap(recordsIn), UsageRecorded);
    const refused = this.#readable(RefusedUsage, ofGateways.flatMap(refusedIn), UsageRecorded);
    let orphans = this.#readable(OrphanUsage, ofWorkers, UsageOrphaned);
    const ledger = this.#ledger;
    const unread = [...records.rejected, ...refused.rejected, ...orphans.rejected];
    await ledger.setAside(unread);
    this.#note(await ledger.takeRefused(refused.readable));
    let from = 0;
    // What one transaction wrote and the next one could not comes again, and counts once.
    do {
      const delivery = { records: records.readable.slice(from, from + TRANSACTION_RECORDS), orphans: orphans.readable };
      this.#note(await ledger.take(delivery));
      orphans = { readable: [], rejected: [] };
      from += TRANSACTION_RECORDS;
    } while (from < records.readable.length);
    this.#note(unread);
  }

  #readable<S extends z.ZodType<{ readonly started: number }>>(
    schema: S,
    messages: readonly unknown[],
    event: EventContract,
  ): Read<z.output<S>> {
    const latest = Date.now() + CLOCKS_DIFFER_MS;
    const timely = schema.refine(({ started }) => started <= latest, { path: ['started'], message: 'It begins in the future.' });
    const read = messages.map((message) => ({ message, ...timely.safeParse(message) }));
    return {
      readable: read.flatMap((one) => (one.success ? [one.data] : [])),
      rejected: read.flatMap((one) => (one.success ? [] : [unreadable(event, one.message, one.error)])),
    };
  }

  /** Tells the log and the metrics of what was set aside. */
  #note(rejected: readonly RejectedUsage[]): void {
    for (const { subject, why, reason } of rejected) {
      this.#rejections.inc({ why });
      this.#log.error({ subject, why, reason }, 'usage.rejected');
    }
  }

  async #sweep(): Promise<void> {
    const [ledger, log] = [this.#ledger, this.#log];
    try {
      const { adopted, rejected } = await ledger.adoptOrphans(this.#orphanWaitMs);
      this.#note(rejected);
      if (adopted > 0) log.warn({ requests: adopted }, 'usage.orphans_counted');
      if (Date.now() - this.#prunedAt < PRUNE_MS) return;
      await ledger.prune(REQUEST_DAYS);
      this.#prunedAt = Date.now();
    } catch (error) {
      log.warn({ err: error }, 'usage.sweep_failed');
    }
  }
}
