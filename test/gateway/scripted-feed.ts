import { randomBytes } from 'node:crypto';
import { callSubjectOf, type FeedContract, subjectOf } from '@slipway/contracts';
import { type NatsConnection, releaseHeaders, type Subscription } from '@slipway/platform';

interface Stored<R> {
  readonly ver: number;
  readonly rec: R;
}

/** The owner of a feed as its readers see it: answers `since` and `snapshot`, announces changes, ticks. */
export class ScriptedFeed<R> {
  /** Answers as a service of before release 0.2, which does not tell its release. */
  isOld = false;
  /** Time that its answers take, in milliseconds. */
  delayMs = 0;
  /** How often it was asked. */
  questions = 0;
  private readonly records = new Map<string, Stored<R>>();
  private readonly changes: object[] = [];
  private readonly epoch = randomBytes(8).toString('hex');
  private subscriptions: Subscription[] = [];
  private ticker: NodeJS.Timeout | undefined;

  constructor(
    private readonly contract: FeedContract<R>,
    private readonly nats: NatsConnection,
    private readonly env: string,
  ) {}

  /** Serves the feed; repeat after `stop` to come back. */
  start(): void {
    this.subscriptions = [
      this.answer(this.contract.since, ({ epoch, seq }) => this.since(epoch, seq as number)),
      this.answer(this.contract.snapshot, () => ({
        epoch: this.epoch,
        head: this.changes.length,
        records: [...this.records].map(([id, stored]) => ({ id, ...stored })),
        cursor: null,
      })),
    ];
    const tick = subjectOf(this.contract.tick, { env: this.env });
    this.ticker = setInterval(() => this.nats.publish(tick, JSON.stringify({ epoch: this.epoch, seq: this.changes.length })), 250);
  }

  /** Stops serving the feed: NATS then reports no responders to its readers. */
  stop(): void {
    clearInterval(this.ticker);
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  put(id: string, rec: R): void {
    const ver = (this.records.get(id)?.ver ?? 0) + 1;
    this.records.set(id, { ver, rec });
    this.announce({ op: 'put', id, ver, rec });
  }

  remove(id: string): void {
    const ver = (this.records.get(id)?.ver ?? 0) + 1;
    this.records.delete(id);
    this.announce({ op: 'del', id, ver });
  }

  private announce(change: object): void {
    const sequenced = { epoch: this.epoch, seq: this.changes.length + 1, ...change };
    this.changes.push(sequenced);
    if (this.subscriptions.length > 0) this.nats.publish(subjectOf(this.contract.change, { env: this.env }), JSON.stringify(sequenced));
  }

  private since(epoch: unknown, seq: number): object {
    const known = epoch === this.epoch && seq <= this.changes.length;
    return {
      epoch: this.epoch,
      head: this.changes.length,
      lagging: false,
      snapshot: !known,
      changes: known ? this.changes.slice(seq) : [],
    };
  }

  private answer(
    rpc: FeedContract<R>['since'] | FeedContract<R>['snapshot'],
    reply: (request: Record<string, unknown>) => object,
  ): Subscription {
    return this.nats.subscribe(callSubjectOf(rpc, { env: this.env }, 'gateway'), {
      queue: rpc.queue,
      callback: (_, message) => {
        this.questions += 1;
        const told = this.isOld ? {} : { headers: releaseHeaders(this.contract.owner) };
        const answer = (): void => void message.respond(JSON.stringify({ ok: true, data: reply(message.json()) }), told);
        if (this.delayMs === 0) answer();
        else setTimeout(answer, this.delayMs);
      },
    });
  }
}
