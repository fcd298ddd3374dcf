import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FeedContract, type Incarnation, ServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import { z } from 'zod';
import { askTwice } from './ask-twice.js';
import type { FeedPlace, StoredRecord } from '../publisher/feed-store.js';

/** Records checked and handed over in one turn of the event loop: a few milliseconds, so that streams run on meanwhile. */
const PIECE_RECORDS = 250;

/** Some records of a snapshot, and the place that all of it is labelled with. */
export interface SnapshotPiece<R> {
  readonly label: FeedPlace;
  readonly records: readonly StoredRecord<R>[];
}

/** A page whose records nobody has looked at. */
interface RawPage extends Pick<z.output<FeedContract['snapshot']['reply']>, 'epoch' | 'head' | 'cursor'> {
  readonly records: readonly unknown[];
}

/**
 * Reads all pages of a feed's snapshot, each asked for before the records of the one before it are looked at, and hands them
 * over in pieces, between which the event loop turns. A snapshot without records is one piece without any.
 * @throws ServiceError when a page does not come, when a record does not follow the contract, or when the feed began anew
 *   between two pages. The pieces so far are then worth nothing.
 */
export async function* readSnapshot<R>(
  rpc: Pick<RpcClient, 'call'>,
  contract: FeedContract<R>,
  reader: Incarnation,
): AsyncGenerator<SnapshotPiece<R>, void, undefined> {
  const pages = contract.snapshot;
  const unread = { ...pages, reply: pages.reply.extend({ records: z.array(z.unknown()) }) };
  const ask = (cursor: string | null): Promise<RawPage> => askTwice(() => rpc.call(unread, { reader, cursor }));
  let label: FeedPlace | null = null;
  let coming: Promise<RawPage> | null = ask(null);
  while (coming !== null) {
    const { epoch, head, records, cursor }: RawPage = await coming;
    label ??= { epoch, seq: head };
    if (epoch !== label.epoch || head !== label.seq) {
      throw new ServiceError('unavailable', 'The feed began anew while its snapshot was read.');
    }
    coming = cursor === null ? null : ask(cursor);
    // Should it fail, that is told when its turn comes, or never, if nobody goes on.
    coming?.catch(() => undefined);
    for (let from = 0; from === 0 || from < records.length; from += PIECE_RECORDS) {
      yield { label, records: checked(contract, records.slice(from, from + PIECE_RECORDS)) };
      await nextTurn();
    }
  }
}

function checked<R>(contract: FeedContract<R>, records: readonly unknown[]): readonly StoredRecord<R>[] {
  const { data, error } = contract.snapshot.reply.shape.records.safeParse(records);
  if (error) throw new ServiceError('internal', 'A service answered against its contract.', { cause: error });
  // Records of types that only newer versions know arrive without content.
  return data.flatMap(({ rec, ...record }) => (rec === undefined ? [] : [{ ...record, rec }]));
}
