import { type FeedContract, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import type { MonotonicClock } from '../clock.js';
import { PAGE_BYTES, PAGE_CHANGES, PAGE_RECORDS } from '../limits.js';
import type { Backlog } from './relay.js';
import type { FeedHead, FeedLook, FeedPlace, FeedSource, FeedStore, ReaderClaim } from './feed-store.js';

/** Silence after which a reader's row is dropped, in milliseconds. */
const FORGET_AFTER_MS = 60_000;

interface Lease {
  readonly claim: ReaderClaim;
  /** When this process first saw this claim. */
  readonly seenAt: number;
}

/**
 * Which readers are alive and what they have applied, by this process's own clock. A reader is alive until its row has not
 * changed for longer than its staleness bound.
 */
export class ReaderLeases {
  readonly #leases = new Map<string, Lease>();
  /** When the query for the newest rows was sent. */
  #readAt = Number.NEGATIVE_INFINITY;

  readonly #clock: MonotonicClock;
  readonly #aliveMs: number;

  constructor(clock: MonotonicClock, aliveMs: number) {
    this.#clock = clock;
    this.#aliveMs = aliveMs;
  }

  /**
   * Records all rows.
   * @param askedAt when the query that read them was sent.
   */
  observe(claims: readonly ReaderClaim[], askedAt: number): void {
    const now = this.#clock.now();
    const present = new Set(claims.map(({ reader }) => reader));
    for (const reader of this.#leases.keys()) if (!present.has(reader)) this.#leases.delete(reader);
    for (const claim of claims) {
      const known = this.#leases.get(claim.reader);
      if (known?.claim.asks === claim.asks) continue;
      this.#leases.set(claim.reader, { claim, seenAt: now });
    }
    this.#readAt = Math.max(this.#readAt, askedAt);
  }

  /** The live readers that have not confirmed this place. */
  waitingFor(place: FeedPlace): string[] {
    const waiting = [...this.#leases.values()].filter(
      ({ claim, seenAt }) => this.#readAt - seenAt <= this.#aliveMs && !(claim.epoch === place.epoch && claim.seq >= place.seq),
    );
    return waiting.map(({ claim }) => claim.reader);
  }

  /** Rows of readers to delete. */
  gone(): ReaderClaim[] {
    return [...this.#leases.values()].filter(({ seenAt }) => this.#readAt - seenAt > FORGET_AFTER_MS).map(({ claim }) => claim);
  }
}

type SinceRequest = z.output<FeedContract['since']['request']>;
type SnapshotRequest = z.output<FeedContract['snapshot']['request']>;
type SinceReply<R> = z.output<FeedContract<R>['since']['reply']>;
type SnapshotReply<R> = z.output<FeedContract<R>['snapshot']['reply']>;

interface HandlerParts {
  readonly backlog: Backlog;
  readonly clock: MonotonicClock;
  readonly looks: LookWatch;
}

const notYet = (): ServiceError => new ServiceError('unavailable', 'The feed has not begun yet; ask again soon.', { retryAfterS: 1 });

/** Lets an answer count as a look of its replica at the database. */
export interface LookWatch {
  /** Whether a look is wanted now. */
  isDue(): boolean;
  /** @param askedAt when the question to the database was sent */
  looked(look: FeedLook, askedAt: number): void;
}

/** Answers the requests of readers from the database. Every replica can do this, elected or not. */
export class FeedHandlers<R> {
  readonly #store: FeedStore<R, never>;
  readonly #source: FeedSource<R>;
  readonly #backlog: Backlog;
  readonly #clock: MonotonicClock;
  readonly #looks: LookWatch;

  constructor({ store, source }: { store: FeedStore<R, never>; source: FeedSource<R> }, parts: HandlerParts) {
    this.#store = store;
    this.#source = source;
    this.#backlog = parts.backlog;
    this.#clock = parts.clock;
    this.#looks = parts.looks;
  }

  /** Changes after the reader's place, at most one page. */
  async since({ reader, epoch, seq }: SinceRequest): Promise<SinceReply<R>> {
    const askedAt = this.#clock.now();
    const found = await this.#store.since({ reader, epoch, seq }, PAGE_CHANGES, this.#looks.isDue());
    if (found === null) throw notYet();
    const { head, kept, readers } = found;
    const lagging = this.#backlog.look(head.oldestWaiting);
    if (readers !== null) this.#looks.looked({ head, readers }, askedAt);
    const snapshot = epoch !== head.epoch || seq > head.seq || !kept;
    const changes = snapshot ? [] : pageOf(found.changes).map((change) => ({ epoch: head.epoch, ...change }));
    return { epoch: head.epoch, head: head.seq, lagging, snapshot, changes };
  }

  /** One page of all records. The reader is registered first, so that changes committed during the snapshot wait for it. */
  async snapshot({ reader, cursor }: SnapshotRequest): Promise<SnapshotReply<R>> {
    await this.#store.welcome(reader);
    const from = cursor === null ? { label: await this.#head(), after: null } : readCursor(cursor);
    if (from === null) throw new ServiceError('invalid_request', 'This is not a cursor of a snapshot.', { param: 'cursor' });
    const { label, after } = from;
    const found = await this.#source.page(after, PAGE_RECORDS);
    const now = await this.#head();
    if (now.epoch !== label.epoch || now.seq < label.seq) {
      throw new ServiceError('unavailable', 'The feed was restarted; read the snapshot again from its first page.');
    }
    const records = pageOf(found);
    const last = records.at(-1);
    const more = last !== undefined && (records.length < found.length || found.length === PAGE_RECORDS);
    return {
      epoch: label.epoch,
      head: label.seq,
      records: [...records],
      cursor: more ? writeCursor({ label: { epoch: label.epoch, seq: label.seq }, after: last.id }) : null,
    };
  }

  async #head(): Promise<FeedHead> {
    const head = await this.#store.head();
    if (head === null) throw notYet();
    return head;
  }
}

/** Where a snapshot continues, and the place that all of its pages are labelled with. */
interface SnapshotCursor {
  readonly label: FeedPlace;
  readonly after: string;
}

const CURSOR = /^([^.]+)\.(\d{1,15})\.(.+)$/s;

const writeCursor = ({ label, after }: SnapshotCursor): string => `${label.epoch}.${label.seq}.${after}`;

/** @returns null for a text that `writeCursor` did not make. */
function readCursor(text: string): SnapshotCursor | null {
  const [, epoch, seq, after] = CURSOR.exec(text) ?? [];
  if (epoch === undefined || seq === undefined || after === undefined) return null;
  return { label: { epoch, seq: Number(seq) }, after };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The longest prefix of `entries` whose JSON fits into `maxBytes`, but at least one entry, so that every page makes progress. */
export function pageOf<T>(entries: readonly T[], maxBytes: number = PAGE_BYTES): readonly T[] {
  // Nearly always everything fits, and one JSON text is written faster than many.
  if (bytesOf(entries) <= maxBytes) return entries;
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    bytes += bytesOf(entry) + 1;
    if (bytes > maxBytes && index > 0) return entries.slice(0, index);
  }
  return entries;
}
