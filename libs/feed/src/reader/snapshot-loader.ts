import { type FeedContract, type Incarnation, ServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import { askTwice } from './ask-twice.js';
import type { FeedPlace, StoredRecord } from '../publisher/feed-store.js';

export interface LoadedSnapshot<R> {
  readonly label: FeedPlace;
  readonly records: readonly StoredRecord<R>[];
}

/**
 * Reads all pages of a feed's snapshot.
 * @throws ServiceError when a page does not come, or when the feed began anew between two pages.
 */
export async function loadSnapshot<R>(rpc: RpcClient, contract: FeedContract<R>, reader: Incarnation): Promise<LoadedSnapshot<R>> {
  const records: StoredRecord<R>[] = [];
  let label: FeedPlace | null = null;
  let cursor: string | null = null;
  do {
    const from: string | null = cursor;
    const page: Awaited<ReturnType<typeof rpc.call<typeof contract.snapshot>>> = await askTwice(() =>
      rpc.call(contract.snapshot, { reader, cursor: from }),
    );
    label ??= { epoch: page.epoch, seq: page.head };
    if (page.epoch !== label.epoch || page.head !== label.seq) {
      throw new ServiceError('unavailable', 'The feed began anew while its snapshot was read.');
    }
    records.push(...page.records);
    ({ cursor } = page);
  } while (cursor !== null);
  return { label, records };
}
