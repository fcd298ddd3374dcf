import { type FeedContract, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import { PAGE_CHANGES, PAGE_RECORDS } from '../limits.js';
import type { Backlog } from './backlog.js';
import type { FeedHead, FeedSource, FeedStore } from './feed-store.js';
import { pageOf } from './page.js';
import { readCursor, writeCursor } from './snapshot-cursor.js';

type SinceRequest = z.output<FeedContract['since']['request']>;
type SnapshotRequest = z.output<FeedContract['snapshot']['request']>;
type SinceReply<R> = z.output<FeedContract<R>['since']['reply']>;
type SnapshotReply<R> = z.output<FeedContract<R>['snapshot']['reply']>;

const notYet = (): ServiceError => new ServiceError('unavailable', 'The feed has not begun yet; ask again soon.', { retryAfterS: 1 });

/** Answers readers from the database: any replica can, elected or not. */
export class QuestionDesk<R> {
  constructor(
    private readonly store: FeedStore<R, never>,
    private readonly source: FeedSource<R>,
    private readonly backlog: Backlog,
  ) {}

  async since({ reader, epoch, seq }: SinceRequest): Promise<SinceReply<R>> {
    const found = await this.store.since({ reader, epoch, seq }, PAGE_CHANGES);
    if (found === null) throw notYet();
    const { head, kept } = found;
    const lagging = this.backlog.look(head.oldestWaiting);
    const snapshot = epoch !== head.epoch || seq > head.seq || !kept;
    const changes = snapshot ? [] : pageOf(found.changes).map((change) => ({ epoch: head.epoch, ...change }));
    return { epoch: head.epoch, head: head.seq, lagging, snapshot, changes };
  }

  /** The claim comes first: who reads a snapshot is alive before anything of it is read, so no change can pass it unnoticed. */
  async snapshot({ reader, cursor }: SnapshotRequest): Promise<SnapshotReply<R>> {
    await this.store.welcome(reader);
    const from = cursor === null ? { label: await this.#head(), after: null } : readCursor(cursor);
    if (from === null) throw new ServiceError('invalid_request', 'This is not a cursor of a snapshot.', { param: 'cursor' });
    const { label, after } = from;
    const found = await this.source.page(after, PAGE_RECORDS);
    const now = await this.#head();
    if (now.epoch !== label.epoch || now.seq < label.seq) {
      throw new ServiceError('unavailable', 'The feed began anew; ask for the snapshot from its start.');
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
    const head = await this.store.head();
    if (head === null) throw notYet();
    return head;
  }
}
