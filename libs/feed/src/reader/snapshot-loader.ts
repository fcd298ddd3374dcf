import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FeedContract, type Incarnation, ServiceError } from '@slipway/contracts';
import { overWithin, type RpcClient } from '@slipway/platform';
import { z } from 'zod';
import type { FeedPlace, StoredRecord } from '../publisher/feed-store.js';

/** A healthy replica answers sooner than this, in milliseconds. */
const SECOND_AFTER_MS = 300;

/**
 * Hedged request: asks again when no answer comes within 300 ms, and takes the first answer. A frozen replica receives its
 * share of requests until the NATS server drops its connection. Only for requests without side effects.
 * @throws the error of the first request, when both fail.
 */
export async function hedged<T>(ask: () => Promise<T>): Promise<T> {
  const first = ask();
  if (await overWithin(SECOND_AFTER_MS, Promise.allSettled([first]))) return first;
  try {
    return await Promise.any([first, ask()]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}

/** Records checked per turn of the event loop: a few milliseconds of work. */
const PIECE_RECORDS = 250;

/** Some records of a snapshot, and the snapshot's place. */
export interface SnapshotPiece<R> {
  readonly label: FeedPlace;
  readonly records: readonly StoredRecord<R>[];
}

/** A page whose records are not checked yet. */
interface RawPage extends Pick<z.output<FeedContract['snapshot']['reply']>, 'epoch' | 'head' | 'cursor'> {
  readonly records: readonly unknown[];
}

/**
 * Reads all pages of a feed's snapshot and yields them in pieces, with a turn of the event loop between two pieces. The next
 * page is requested before the current one is checked. A snapshot without records yields one empty piece.
 * @throws ServiceError when a page does not come, a record violates the contract, or the feed restarted between two pages.
 *   The caller must then discard all pieces.
 */
export async function* readSnapshot<R>(
  rpc: Pick<RpcClient, 'call'>,
  contract: FeedContract<R>,
  reader: Incarnation,
): AsyncGenerator<SnapshotPiece<R>, void, undefined> {
  const pages = contract.snapshot;
  const unread = { ...pages, reply: pages.reply.extend({ records: z.array(z.unknown()) }) };
  const ask = (cursor: string | null): Promise<RawPage> => hedged(() => rpc.call(unread, { reader, cursor }));
  let label: FeedPlace | null = null;
  let coming: Promise<RawPage> | null = ask(null);
  while (coming !== null) {
    const { epoch, head, records, cursor }: RawPage = await coming;
    label ??= { epoch, seq: head };
    if (epoch !== label.epoch || head !== label.seq) {
      throw new ServiceError('unavailable', 'The feed was restarted while its snapshot was read.');
    }
    coming = cursor === null ? null : ask(cursor);
    // A failure is thrown by the `await` above; a caller that stops early must not get an unhandled rejection.
    coming?.catch(() => undefined);
    for (let from = 0; from === 0 || from < records.length; from += PIECE_RECORDS) {
      yield { label, records: checked(contract, records.slice(from, from + PIECE_RECORDS)) };
      await nextTurn();
    }
  }
}

function checked<R>(contract: FeedContract<R>, records: readonly unknown[]): readonly StoredRecord<R>[] {
  const { data, error } = contract.snapshot.reply.shape.records.safeParse(records);
  if (error) throw new ServiceError('internal', 'The answer of a service violates its contract.', { cause: error });
  // Records of types that only newer versions know have no content.
  return data.flatMap(({ rec, ...record }) => (rec === undefined ? [] : [{ ...record, rec }]));
}
