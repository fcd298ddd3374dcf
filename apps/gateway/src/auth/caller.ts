import type { AccountFeedRecord, ApiKeyFeedRecord } from '@slipway/contracts';

/** Who calls: an active key and its active account, as they were when the key was checked. */
export interface Caller {
  readonly key: ApiKeyFeedRecord;
  readonly account: AccountFeedRecord;
}
