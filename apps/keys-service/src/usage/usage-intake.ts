import {
  type EventContract,
  LimitUse,
  OrphanUsage,
  UsageOrphaned,
  UsageRecord,
  UsageRecorded,
  UsageStream,
  subjectOf,
} from '@slipway/contracts';
import { type Logger, type NatsConnection, type Subscription, WorkConsumer, type WorkItem } from '@slipway/platform';
import { z } from 'zod';
import type { LimitUseMemory } from './limit-use-memory.js';
import type { Ledger } from './ledger.service.js';

/** How often orphans are looked for, at most, in milliseconds. */
const SWEEP_MS = 30_000;
/** Single requests are kept this long. */
const REQUEST_DAYS = 35;
const PRUNE_MS = 3_600_000;
/** Records that one transaction writes at most. */
const TRANSACTION_RECORDS = 1_000;

/** Its records are not read here yet: `GatheredUsage` would refuse all of them for one. */
const Gathered = z.object({ records: z.array(z.unknown()) });

export interface UsageIntakeOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  readonly ledger: Ledger;
  readonly memory: LimitUseMemory;
  /** How long a gateway's own record is waited for before a worker's counts, in milliseconds. */
  readonly orphanWaitMs: number;
}

function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return null;
  }
}

/** The records of a message: its own, or those that were gathered in it. Each is read by itself, so that one spoils no other. */
function recordsIn(message: unknown): readonly unknown[] {
  return Gathered.safeParse(message).data?.records ?? [message];
}

/** Brings usage from JetStream into the ledger, and keeps the ledger in order. */
export class UsageIntake {
  readonly #consumer: WorkConsumer;
  readonly #recorded: string;
  #uses: Subscription | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #prunedAt = 0;

  constructor(private readonly options: UsageIntakeOptions) {
    const { nats, env, log } = options;
    this.#recorded = subjectOf(UsageRecorded, { env });
    this.#consumer = new WorkConsumer({ nats, env, log, stream: UsageStream, work: (items) => this.#take(items) });
  }

  start(): void {
    const { nats, env, memory } = this.options;
    this.#consumer.start();
    this.#uses = nats.subscribe(subjectOf(LimitUse, { env }), {
      callback: (error, { data }) => {
        const use = error ? undefined : LimitUse.message.safeParse(parse(data)).data;
        if (use) memory.heard(use, performance.now());
      },
    });
    this.#sweeper = setInterval(
      () => {
        this.#sweeping = this.#sweeping.then(() => this.#sweep());
      },
      Math.min(SWEEP_MS, Math.max(250, this.options.orphanWaitMs / 4)),
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
    const ofGateways = messages.filter(({ subject }) => subject === this.#recorded).flatMap(({ message }) => recordsIn(message));
    const ofWorkers = messages.filter(({ subject }) => subject !== this.#recorded).map(({ message }) => message);
    const records = this.#readable(UsageRecord, ofGateways, UsageRecorded);
    let orphans = this.#readable(OrphanUsage, ofWorkers, UsageOrphaned);
    let from = 0;
    // What one transaction wrote and the next one could not comes again, and counts once.
    do {
      await this.options.ledger.take({ records: records.slice(from, from + TRANSACTION_RECORDS), orphans });
      orphans = [];
      from += TRANSACTION_RECORDS;
    } while (from < records.length);
  }

  /** What nobody will ever be able to read is not kept; the log says where it came from. */
  #readable<S extends z.ZodType>(schema: S, messages: readonly unknown[], { subject }: EventContract): z.output<S>[] {
    return messages.flatMap((message) => {
      const read = schema.safeParse(message);
      if (!read.success) this.options.log.error({ subject, problem: read.error.issues[0]?.path.join('.') }, 'usage.unreadable');
      return read.success ? [read.data] : [];
    });
  }

  async #sweep(): Promise<void> {
    const { ledger, log, orphanWaitMs } = this.options;
    try {
      const adopted = await ledger.adoptOrphans(orphanWaitMs);
      if (adopted > 0) log.warn({ requests: adopted }, 'usage.orphans_counted');
      if (Date.now() - this.#prunedAt < PRUNE_MS) return;
      await ledger.prune(REQUEST_DAYS);
      this.#prunedAt = Date.now();
    } catch (error) {
      log.warn({ err: error }, 'usage.sweep_failed');
    }
  }
}
