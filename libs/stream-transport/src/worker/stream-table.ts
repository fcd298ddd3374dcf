import type { ControlMessage, ServiceError, StreamId } from '@slipway/contracts';
import { OpenSet, OpenTable } from '@slipway/platform';
import type { StreamSettings } from '../stream-settings.js';
import { TwiceSweptMap } from '../gateway/late-frames.js';
import { GatewayInterest } from './gateway-interest.js';
import type { SenderCounters } from './load-reporter.js';
import type { WorkerStream } from './worker-stream.js';

type Acknowledgement = Extract<ControlMessage, { k: 'ack' }>;
/** One line of an acknowledgement: [stream, attempt, next event wanted, 1 = finished]. */
export type AckEntry = Acknowledgement['v'][number];

interface GatewayEntry {
  readonly interest: GatewayInterest;
  readonly streams: OpenSet<WorkerStream>;
}

/** All streams of a worker, by stream id (one attempt each) and by gateway. */
export class StreamTable {
  readonly #streams = new OpenTable<WorkerStream>();
  readonly #gateways = new OpenTable<GatewayEntry>();
  /** Highest ended attempt of each stream, so that a late start does not begin it again. */
  readonly #over: TwiceSweptMap<StreamId, number>;

  readonly #settings: StreamSettings;
  readonly #counters: SenderCounters;

  constructor(settings: StreamSettings, counters: SenderCounters, now: number) {
    this.#settings = settings;
    this.#counters = counters;
    this.#over = new TwiceSweptMap(settings.leaseMs, now);
  }

  get size(): number {
    return this.#streams.size;
  }

  find(st: StreamId, at: number): WorkerStream | undefined {
    const stream = this.#streams.get(st);
    return stream?.address.at === at ? stream : undefined;
  }

  /** True when the attempt has ended here, or a newer one exists. */
  isPast(st: StreamId, at: number): boolean {
    return at <= (this.#over.get(st) ?? 0) || at < (this.#streams.get(st)?.address.at ?? 0);
  }

  interestOf(gw: string, now: number): GatewayInterest {
    return this.#gatewayEntry(gw, now).interest;
  }

  /** Adds an attempt, which ends an older one of the same stream. */
  add(stream: WorkerStream, now: number): void {
    const older = this.#streams.get(stream.address.st);
    if (older) this.#drop(older);
    this.#streams.set(stream.address.st, stream);
    this.#gatewayEntry(stream.address.gw, now).streams.add(stream);
  }

  /** @returns the acknowledged attempts that this worker does not have. */
  acknowledge({ v: entries, moves }: Acknowledgement, now: number): [StreamId, number][] {
    const gone: [StreamId, number][] = [];
    for (const [st, at, next, finished] of entries) {
      const stream = this.find(st, at);
      stream?.interest.acknowledged(now, moves);
      if (finished) {
        if (stream) this.#drop(stream);
      } else if (stream) stream.acknowledge(next, now);
      else gone.push([st, at]);
    }
    return gone;
  }

  /** Ends all attempts of a stream up to number `at`, including those whose start is still in flight. */
  cancel(st: StreamId, at: number): void {
    this.#over.set(st, Math.max(at, this.#over.get(st) ?? 0));
    const stream = this.#streams.get(st);
    if (!stream || stream.address.at > at) return;
    this.#counters.cancelled += 1;
    if (!stream.cancel()) this.#drop(stream);
  }

  replay(st: StreamId, at: number, from: number): void {
    const stream = this.find(st, at);
    if (!stream) return;
    this.#counters.replays += 1;
    stream.replay(from);
  }

  /** After a reconnect: sends the position of every stream, which shows gateways what they missed. */
  reportAll(now: number): void {
    for (const { interest } of this.#gateways.values()) interest.forget(now);
    for (const stream of this.#streams.values()) stream.report();
  }

  /** Gateways with streams here. */
  *gateways(): Generator<string> {
    for (const { streams } of this.#gateways.values()) for (const { address } of firstOf(streams)) yield address.gw;
  }

  /** Ends streams without a lease or a gateway; ticks the others. */
  tick(now: number, judge: boolean): void {
    this.#over.sweep(now);
    for (const stream of this.#streams.values()) {
      if (judge && stream.leaseEnded(now)) {
        this.#counters.leasesEnded += 1;
        this.#drop(stream);
      } else stream.tick(now);
    }
    for (const entry of this.#gateways.values()) this.#watch(entry, now, judge);
  }

  /** Longest time without an acknowledgement, over all gateways with streams here. */
  longestQuiet(now: number): number {
    let longest = 0;
    for (const { interest, streams } of this.#gateways.values()) if (streams.size > 0) longest = Math.max(longest, interest.quietFor(now));
    return longest;
  }

  stopAll(error: ServiceError): number {
    let stopped = 0;
    for (const stream of this.#streams.values()) {
      if (stream.running) stopped += 1;
      stream.stop(error);
    }
    return stopped;
  }

  dropAll(): void {
    for (const stream of this.#streams.values()) this.#drop(stream);
  }

  #drop(stream: WorkerStream): void {
    const { st, at, gw } = stream.address;
    stream.drop();
    this.#streams.delete(st);
    this.#over.set(st, Math.max(at, this.#over.get(st) ?? 0));
    const entry = this.#gateways.get(gw);
    entry?.streams.delete(stream);
    if (entry?.streams.size === 0) this.#gateways.delete(gw);
  }

  #watch({ interest, streams }: GatewayEntry, now: number, judge: boolean): void {
    if (judge && interest.gone(now)) {
      this.#counters.gatewaysGone += 1;
      this.#counters.abandoned += streams.size;
      for (const stream of streams) this.#drop(stream);
      return;
    }
    if (interest.checkDue(now)) for (const stream of firstOf(streams)) stream.report();
  }

  #gatewayEntry(gw: string, now: number): GatewayEntry {
    let entry = this.#gateways.get(gw);
    if (!entry) {
      entry = { interest: new GatewayInterest(this.#settings, now), streams: new OpenSet() };
      this.#gateways.set(gw, entry);
    }
    return entry;
  }
}

function* firstOf<T>(items: Iterable<T>): Generator<T> {
  for (const item of items) {
    yield item;
    return;
  }
}
