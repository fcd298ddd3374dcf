import { GatewayBeat, subjectOf, UsageOrphaned, wildcardOf } from '@slipway/contracts';
import { type Logger, type NatsConnection, RecordSpool, type Subscription, watchConnection } from '@slipway/platform';
import { type EndedGeneration, OrphanBook } from './orphan-book.js';

const SWEEP_MS = 1_000;
/** Counts that wait for JetStream at most. */
const RECORDS_MAX = 20_000;
/** Time for the last ones to be kept when the runner ends, in milliseconds. */
const LAST_RECORDS_MS = 1_000;

export interface OrphanReporterOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
}

/** Listens to gateways, and tells keys-service what those that died left uncounted. */
export class OrphanReporter {
  readonly #book: OrphanBook;
  readonly #spool: RecordSpool;
  #beats: Subscription | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: OrphanReporterOptions) {
    const { nats, env, log } = options;
    this.#spool = new RecordSpool({ nats, log, subject: subjectOf(UsageOrphaned, { env }), recordsMax: RECORDS_MAX });
    this.#book = new OrphanBook((orphan) => this.#spool.put(`${orphan.st} ${orphan.at}`, orphan));
  }

  start(): void {
    const { nats, env } = this.options;
    this.#beats = nats.subscribe(wildcardOf(GatewayBeat, { env }), {
      callback: (error, msg) => {
        if (!error) this.#heard(msg.string());
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
    if (!this.options.nats.isClosed()) this.#beats?.unsubscribe();
    await this.#spool.drain(LAST_RECORDS_MS);
    this.#spool.stop();
  }

  #heard(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    const beat = GatewayBeat.message.safeParse(message).data;
    if (beat) this.#book.heard(beat.gw, beat.owes_ms, performance.now());
  }

  #sweep(): void {
    const before = this.#spool.waiting;
    this.#book.sweep(performance.now());
    const orphans = this.#spool.waiting - before;
    if (orphans > 0) this.options.log.warn({ streams: orphans }, 'usage.orphaned');
  }
}
