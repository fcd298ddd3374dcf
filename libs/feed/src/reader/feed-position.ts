import type { MonotonicClock } from '../clock.js';
import type { FeedPlace, SequencedChange, StoredRecord } from '../publisher/feed-store.js';
import type { FeedRenewal, FeedSink } from './feed-sink.js';

/**
 * Whether a reader's records may be used.
 * `fresh`: every change committed more than `ageMs` ago is applied.
 * `absent`: not proven, and the NATS server says that the feed has no responders.
 * `cut_off`: not proven for an unknown reason; other readers may know newer changes.
 */
export type FreshnessState = 'fresh' | 'absent' | 'cut_off';

/** Freshness of a reader's records. */
export interface Freshness {
  readonly state: FreshnessState;
  /** Milliseconds since the last question whose answer proved the reader current; Infinity = never. */
  readonly ageMs: number;
}

/** Keeps the time of the last proof, and why there has been none since. */
export class FreshnessMeter {
  #provenAt = Number.NEGATIVE_INFINITY;
  #reason: 'absent' | 'cut_off' = 'cut_off';
  /** What waits for the next proof. */
  #awaited: { readonly promise: Promise<void>; readonly end: () => void } | null = null;

  readonly #clock: MonotonicClock;
  readonly #staleAfterMs: number;

  constructor(clock: MonotonicClock, staleAfterMs: number) {
    this.#clock = clock;
    this.#staleAfterMs = staleAfterMs;
  }

  /** @param askedAt when the question was sent: later commits are not proven. */
  proven(askedAt: number): void {
    this.#provenAt = Math.max(this.#provenAt, askedAt);
    this.#reason = 'cut_off';
    if (this.read().state === 'fresh') this.#awaited?.end();
  }

  /** A question failed, or its answer proved nothing. */
  unproven(reason: 'absent' | 'cut_off'): void {
    this.#reason = reason;
  }

  read(): Freshness {
    const ageMs = this.#clock.now() - this.#provenAt;
    return { state: ageMs <= this.#staleAfterMs ? 'fresh' : this.#reason, ageMs };
  }

  /**
   * The next proof, where records have been too old for less than `withinMs`: resolves with it, and without it when that time is over.
   * @returns null where there is nothing to wait for: records are fresh, have been too old for longer, or their service is absent
   */
  nextProof(withinMs: number): Promise<void> | null {
    const { state, ageMs } = this.read();
    const leftMs = this.#staleAfterMs + withinMs - ageMs;
    if (state !== 'cut_off' || leftMs <= 0) return null;
    this.#awaited ??= this.#waitFor(leftMs);
    return this.#awaited.promise;
  }

  /** Nobody waits any longer. */
  stop(): void {
    this.#awaited?.end();
  }

  #waitFor(ms: number): { readonly promise: Promise<void>; readonly end: () => void } {
    let resolve: () => void;
    const promise = new Promise<void>((settle) => (resolve = settle));
    const end = (): void => {
      clearTimeout(timer);
      this.#awaited = null;
      resolve();
    };
    const timer = setTimeout(end, ms);
    return { promise, end };
  }
}

/** Number of deleted ids whose versions are kept. */
const TOMBSTONES_MAX = 10_000;

/** Result of a broadcast change. `missing`: a change before it is missing, or its epoch differs. */
export type Receipt = 'applied' | 'known' | 'ignored' | 'missing';

/** The part of an answer to `since` that a position needs. */
export interface SinceAnswer<R> {
  readonly epoch: string;
  readonly head: number;
  readonly snapshot: boolean;
  readonly changes: readonly (SequencedChange<R> & { readonly epoch: string })[];
}

/** `current`: everything up to the answered head is applied. `behind`: ask again. `lost`: a snapshot is needed. */
export type Taken = 'current' | 'behind' | 'lost';

/** A snapshot that is being loaded. */
export interface PositionRenewal<R> {
  put(record: StoredRecord<R>): void;
  /** Replaces all records by those of the snapshot. @param label the place of the snapshot. */
  swap(label: FeedPlace): void;
}

/**
 * What a reader has applied: a place in the feed and a version for each record. Changes are applied in sequence, without
 * gaps. While a snapshot is being loaded no change is applied.
 */
export class FeedPosition<R> {
  #place: FeedPlace | null = null;
  #lost = true;
  #versions = new Map<string, number>();
  readonly #tombstones = new Map<string, number>();

  readonly #sink: FeedSink<R>;

  constructor(sink: FeedSink<R>) {
    this.#sink = sink;
  }

  /** The place up to which everything is applied; null before the first snapshot. */
  get place(): FeedPlace | null {
    return this.#place;
  }

  /** True while a snapshot is needed or being loaded. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Gives up the place. The records stay, but no change is applied to them until the next snapshot. */
  lose(): void {
    this.#lost = true;
  }

  /** Begins to load a snapshot. The place must be lost. */
  renew(): PositionRenewal<R> {
    const versions = new Map<string, number>();
    const renewal: FeedRenewal<R> = this.#sink.renew();
    return {
      put: ({ id, ver, rec }) => {
        renewal.put(id, rec);
        versions.set(id, ver);
      },
      swap: (label) => {
        renewal.swap();
        this.#versions = versions;
        this.#tombstones.clear();
        this.#place = label;
        this.#lost = false;
      },
    };
  }

  /** Applies a broadcast change, which may be late, repeated or of another epoch. */
  receive(change: SequencedChange<R> & { readonly epoch: string }): Receipt {
    if (this.#lost || this.#place === null) return 'ignored';
    if (change.epoch !== this.#place.epoch) return 'missing';
    if (change.seq <= this.#place.seq) return 'known';
    if (change.seq !== this.#place.seq + 1) return 'missing';
    this.#apply(change);
    return 'applied';
  }

  /** True when this head is newer than the position. */
  isBehind(head: FeedPlace): boolean {
    if (this.#lost || this.#place === null) return false;
    return head.epoch !== this.#place.epoch || head.seq > this.#place.seq;
  }

  /**
   * Applies the answer to `since`.
   * @param asked the place in the question; broadcasts may have advanced the position since.
   */
  take(asked: FeedPlace, answer: SinceAnswer<R>): Taken {
    const place = this.#place;
    if (place === null || this.#lost) return 'lost';
    if (answer.snapshot || answer.epoch !== place.epoch || answer.head < asked.seq) {
      this.lose();
      return 'lost';
    }
    for (const change of answer.changes) if (this.receive(change) === 'missing') return 'behind';
    return (this.#place?.seq ?? 0) >= answer.head ? 'current' : 'behind';
  }

  #apply(change: SequencedChange<R> & { readonly epoch: string }): void {
    try {
      this.#store(change);
    } catch (error) {
      this.lose();
      throw error;
    }
    this.#place = { epoch: change.epoch, seq: change.seq };
  }

  #store({ op, id, ver, rec }: SequencedChange<R>): void {
    if (ver < (this.#versions.get(id) ?? this.#tombstones.get(id) ?? 0)) return;
    if (op === 'put' && rec !== undefined) {
      this.#sink.put(id, rec);
      this.#tombstones.delete(id);
      this.#versions.set(id, ver);
      return;
    }
    this.#sink.remove(id);
    this.#versions.delete(id);
    this.#addTombstone(id, ver);
  }

  #addTombstone(id: string, ver: number): void {
    this.#tombstones.set(id, ver);
    if (this.#tombstones.size <= TOMBSTONES_MAX) return;
    for (const oldest of this.#tombstones.keys()) {
      this.#tombstones.delete(oldest);
      return;
    }
  }
}
