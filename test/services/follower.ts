import { Incarnation } from '@slipway/contracts';
import { FeedReader, type Freshness } from '@slipway/feed';
import { createLogger, type NatsConnection } from '@slipway/platform';
import { until } from '../testing/until.js';
import { machineNow, type Sample, trustedWrongly } from '../feed/feed-rig.js';
import { KnownRecords } from '../feed/known-records.js';
import { ENV } from './bus.js';
import type { AnyRecord, FeedOwner, Sight, Thing } from './feed-owners.js';

const SAMPLE_MS = 5;
/** Only bounds a failure. */
const SEES_WITHIN_MS = 40_000;
/** Trust in what is known (3 s), what a change may wait for its sequence (250 ms), and half a second for the test's own eyes. */
export const TRUSTED_WRONGLY_MAX_MS = 3_750;
const log = createLogger('test', 'silent');

/** What a follower does not get to hear. */
export type Deafness = readonly ('chg' | 'tick')[];

/** Follows a feed as a gateway does, with the gateways' reader and permissions, and records how it would have answered requests. */
export class Follower {
  readonly #known = new KnownRecords<AnyRecord>();
  readonly #reader: FeedReader<AnyRecord>;
  readonly #samples: Sample[] = [];
  readonly #sampling: NodeJS.Timeout;
  #last = '';
  #unheard = 0;

  constructor(
    private readonly owner: FeedOwner,
    nats: NatsConnection,
    name: string,
    deafness: Deafness = [],
  ) {
    const options = {
      contract: owner.feed,
      nats: this.#deafen(nats, deafness),
      env: ENV,
      reader: Incarnation.parse(name),
      sink: this.#known,
      log,
    };
    this.#reader = new FeedReader(options);
    this.#reader.start();
    this.#sampling = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  get state(): Freshness['state'] {
    return this.#reader.freshness().state;
  }

  /** Null before the first snapshot. */
  get epoch(): string | null {
    return this.#reader.place?.epoch ?? null;
  }

  get records(): Record<string, AnyRecord> {
    return Object.fromEntries(this.#known.now);
  }

  /** Broadcasts that were lost on the way to this follower. */
  get unheard(): number {
    return this.#unheard;
  }

  sight({ record, mark }: Thing): Sight {
    const known = this.#known.now.get(record);
    if (!known || this.owner.markOf(known) !== mark) return 'unknown';
    return this.owner.isOpen(known) ? 'open' : 'closed';
  }

  sees(thing: Thing, sight: Sight): Promise<true> {
    return until(`${thing.record} is ${sight} at a follower`, () => this.sight(thing) === sight, SEES_WITHIN_MS);
  }

  whenState(state: Freshness['state']): Promise<true> {
    return until(`the follower is ${state}`, () => this.state === state, SEES_WITHIN_MS);
  }

  whenFresh(): Promise<true> {
    return this.whenState('fresh');
  }

  /** Waits for the end of an epoch: it lasts until the next relay is elected, and those who answer meanwhile still tell it. */
  leaves(epoch: string | null): Promise<true> {
    return until(`the follower leaves epoch ${epoch}`, () => this.epoch !== epoch, SEES_WITHIN_MS);
  }

  /** How long after a thing was withdrawn this still answered with certainty that it is open, in milliseconds. */
  trustedWrongly({ record }: Thing, withdrawnAt: number): number {
    this.#sample();
    return trustedWrongly(this.#samples, { id: record, n: 0, committedAt: withdrawnAt });
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampling);
    await this.#reader.stop();
  }

  #sample(): void {
    const { state } = this;
    const things = Object.fromEntries([...this.#known.now].map(([id, record]) => [id, this.owner.isOpen(record) ? 1 : 0]));
    const text = JSON.stringify([state, things]);
    const at = machineNow();
    if (text !== this.#last) this.#samples.push({ from: at, to: at, state, things });
    this.#last = text;
    const newest = this.#samples.at(-1);
    if (newest) this.#samples[this.#samples.length - 1] = { ...newest, to: at };
  }

  /** Keeps the broadcasts of these kinds from whoever subscribes to `nats`, and counts them. */
  #deafen(nats: NatsConnection, deafness: Deafness): NatsConnection {
    const subscribe = nats.subscribe.bind(nats);
    nats.subscribe = (subject, options = {}) => {
      if (!deafness.some((kind) => subject.endsWith(`.${kind}`))) return subscribe(subject, options);
      return subscribe(subject, { ...options, callback: () => void (this.#unheard += 1) });
    };
    return nats;
  }
}
