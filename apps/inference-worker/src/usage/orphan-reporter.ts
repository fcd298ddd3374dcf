import { GatewayHeartbeat, subjectOf, UsageOrphaned, wildcardOf } from '@slipway/contracts';
import { type Logger, type NatsConnection, RecordSpool, type Subscription, watchConnection } from '@slipway/platform';
import { type EndedGeneration, OrphanBook } from './orphan-book.js';

const SWEEP_MS = 1_000;
/** Most records that wait for JetStream. */
const RECORDS_MAX = 20_000;
/** Time to store the last records when the runner ends, in milliseconds. */
const LAST_RECORDS_MS = 1_000;

export interface OrphanReporterOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
}

/** Watches gateways by their heartbeats, and reports to keys-service the usage that dead ones did not record. */
export class OrphanReporter {
  readonly #book: OrphanBook;
  readonly #spool: RecordSpool;
  #heartbeats: Subscription | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: OrphanReporterOptions) {
    const { nats, env, log } = options;
    this.#spool = new RecordSpool({ nats, log, subject: subjectOf(UsageOrphaned, { env }), recordsMax: RECORDS_MAX });
    this.#book = new OrphanBook((orphan) => this.#spool.put(`${orphan.st} ${orphan.at}`, orphan));
  }

  start(): void {
    const { nats, env } = this.options;
    this.#heartbeats = nats.subscribe(wildcardOf(GatewayHeartbeat, { env }), {
      callback: (error, msg) => {
        if (!error) this.#hasReported(msg.string());
      },
    });
    watchConnection(nats, { reconnected: () => this.#book.excuse(performance.now()) });
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS);
  }

  ended(generation: EndedGeneration): void {
    this.#book.ended(generation, performance.now());
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (!this.options.nats.isClosed()) this.#heartbeats?.unsubscribe();
    await this.#spool.drain(LAST_RECORDS_MS);
    this.#spool.stop();
  }

  #hasReported(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    const heartbeat = GatewayHeartbeat.message.safeParse(message).data;
    if (heartbeat) this.#book.heartbeat(heartbeat.gw, heartbeat.owes_ms, performance.now());
  }

  #sweep(): void {
    const before = this.#spool.waiting;
    this.#book.sweep(performance.now());
    const orphans = this.#spool.waiting - before;
    if (orphans > 0) this.options.log.warn({ streams: orphans }, 'usage.orphaned');
  }
}
