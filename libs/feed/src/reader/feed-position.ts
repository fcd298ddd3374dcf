import type { FeedPlace, SequencedChange, StoredRecord } from '../publisher/feed-store.js';
import type { FeedRenewal, FeedSink } from './feed-sink.js';

/** Deleted ids whose versions are remembered. */
const TOMBSTONES_MAX = 10_000;

/** What became of a change that was heard of. `missing`: something before it is unknown, or its epoch is another. */
export type Heard = 'applied' | 'known' | 'ignored' | 'missing';

/** An answer to "what came after?" as far as the position is concerned. */
export interface SinceAnswer<R> {
  readonly epoch: string;
  readonly head: number;
  readonly snapshot: boolean;
  readonly changes: readonly (SequencedChange<R> & { readonly epoch: string })[];
}

/** `current`: everything up to the answered head is applied. `behind`: ask again. `lost`: only a snapshot helps. */
export type Taken = 'current' | 'behind' | 'lost';

/** A snapshot on its way, and the step that makes it all that is known. */
export interface PositionRenewal<R> {
  put(record: StoredRecord<R>): void;
  /** @param label the place that the snapshot stands for. */
  swap(label: FeedPlace): void;
}

/**
 * What a reader has applied: a place in the feed and a version for each record. Changes are applied
 * one by one without a hole; while a snapshot is on its way nothing is.
 */
export class FeedPosition<R> {
  #place: FeedPlace | null = null;
  #lost = true;
  #versions = new Map<string, number>();
  readonly #tombstones = new Map<string, number>();

  constructor(private readonly sink: FeedSink<R>) {}

  /** The place up to which everything is applied; null before the first snapshot. */
  get place(): FeedPlace | null {
    return this.#place;
  }

  /** True from the moment that only a snapshot helps until it is swapped in. */
  get lost(): boolean {
    return this.#lost;
  }

  /** Gives up the place: what is known stays, and nothing is applied to it any more. */
  lose(): void {
    this.#lost = true;
  }

  /** A snapshot begins. Until it is swapped in, nothing else may change what is known: the place must be lost. */
  renew(): PositionRenewal<R> {
    const versions = new Map<string, number>();
    const renewal: FeedRenewal<R> = this.sink.renew();
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

  /** Takes a change that was broadcast: a hint, which may be late, doubled or of another time. */
  hear(change: SequencedChange<R> & { readonly epoch: string }): Heard {
    if (this.#lost || this.#place === null) return 'ignored';
    if (change.epoch !== this.#place.epoch) return 'missing';
    if (change.seq <= this.#place.seq) return 'known';
    if (change.seq !== this.#place.seq + 1) return 'missing';
    this.#apply(change);
    return 'applied';
  }

  /** True when a head that was heard of shows that there is something to ask for. */
  isBehind(head: FeedPlace): boolean {
    if (this.#lost || this.#place === null) return false;
    return head.epoch !== this.#place.epoch || head.seq > this.#place.seq;
  }

  /**
   * Takes the answer to a question.
   * @param asked the place that the question named; broadcasts may have moved on since.
   */
  take(asked: FeedPlace, answer: SinceAnswer<R>): Taken {
    const place = this.#place;
    if (place === null || this.#lost) return 'lost';
    if (answer.snapshot || answer.epoch !== place.epoch || answer.head < asked.seq) {
      this.lose();
      return 'lost';
    }
    for (const change of answer.changes) if (this.hear(change) === 'missing') return 'behind';
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
      this.sink.put(id, rec);
      this.#tombstones.delete(id);
      this.#versions.set(id, ver);
      return;
    }
    this.sink.remove(id);
    this.#versions.delete(id);
    this.#bury(id, ver);
  }

  #bury(id: string, ver: number): void {
    this.#tombstones.set(id, ver);
    if (this.#tombstones.size <= TOMBSTONES_MAX) return;
    for (const oldest of this.#tombstones.keys()) {
      this.#tombstones.delete(oldest);
      return;
    }
  }
}
