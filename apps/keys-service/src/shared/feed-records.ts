import type { KeyFeedRecord, Limits } from '@slipway/contracts';
import type { StoredRecord } from '@slipway/feed';
import type { Account } from '../identity/accounts.repository.js';
import type { FeedKey } from '../keys/keys.repository.js';

/** Most have none, and gateways hold all records in memory. */
const limitsOf = (limits: Limits): { limits?: Limits } => (Object.keys(limits).length === 0 ? {} : { limits });

/** What gateways learn of an account. */
export const accountRecord = ({ id, slug, state, limits, quotas: { uploads }, ver }: Account): StoredRecord<KeyFeedRecord> => ({
  id: `account:${id}`,
  ver,
  rec: { type: 'account', id, slug, state, ...limitsOf(limits), ...(uploads !== undefined && { uploads }) },
});

/** What gateways learn of a key: enough to recognize it, never enough to make it. */
export const keyRecord = ({
  id,
  account,
  kind,
  mac,
  pepper,
  state,
  expiresAt,
  deployments,
  limits,
  ver,
}: FeedKey): StoredRecord<KeyFeedRecord> => ({
  id: `key:${id}`,
  ver,
  rec: {
    type: 'key',
    id,
    account,
    // To gateways it is a deployment key like any other.
    kind: kind === 'playground' ? 'dep' : kind,
    mac: mac.toString('base64url'),
    pepper,
    state,
    expires: expiresAt?.getTime() ?? null,
    deployments,
    ...limitsOf(limits),
  },
});
