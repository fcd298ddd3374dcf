import { LimitUse, OrphanUsage, UsageRecord, UsageRecorded, UsageStream, subjectOf } from '@slipway/contracts';
import { type Logger, type NatsConnection, type Subscription, WorkConsumer, type WorkItem } from '@slipway/platform';
import type { LimitUseMemory } from './limit-use-memory.js';
import type { Delivery, Ledger } from './ledger.service.js';

/** How often orphans are looked for, at most, in milliseconds. */
const SWEEP_MS = 30_000;
/** Single requests are kept this long. */
const REQUEST_DAYS = 35;
const PRUNE_MS = 3_600_000;

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

  #take(items: readonly WorkItem[]): Promise<void> {
    const records: UsageRecord[] = [];
    const orphans: OrphanUsage[] = [];
    for (const { subject, data } of items) {
      const message = parse(data);
      const read = subject === this.#recorded ? UsageRecord.safeParse(message) : OrphanUsage.safeParse(message);
      // Nobody will ever be able to read it, so it is not kept; the log says where it came from.
      if (!read.success) this.options.log.error({ subject, problem: read.error.issues[0]?.path.join('.') }, 'usage.unreadable');
      else if (subject === this.#recorded) records.push(read.data as UsageRecord);
      else orphans.push(read.data as OrphanUsage);
    }
    const delivery: Delivery = { records, orphans };
    return this.options.ledger.take(delivery);
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
