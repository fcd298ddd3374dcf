import type { AliasFacts, DeploymentFacts, DeploymentFeedRecord } from '@slipway/contracts';
import type { RecordChange, StoredRecord } from '@slipway/feed';

/** A record of the deployment feed with its version. */
export type FeedRecord = StoredRecord<DeploymentFeedRecord>;

/** A change that the feed carries: a record that is new or changed, or one that was deleted. */
export type FeedChange = RecordChange<DeploymentFeedRecord>;

export const put = (record: FeedRecord): FeedChange => ({ op: 'put', ...record });

const deploymentRecordId = (id: number): string => `deployment:${id}`;
const aliasRecordId = (account: number, name: string): string => `alias:${account}/${name}`;

export const deploymentRemoval = (id: number, ver: number): FeedChange => ({ op: 'del', id: deploymentRecordId(id), ver });
export const aliasRemoval = (account: number, name: string, ver: number): FeedChange => ({
  op: 'del',
  id: aliasRecordId(account, name),
  ver,
});

export const deploymentRecord = (facts: Omit<DeploymentFacts, 'type'>, ver: number): FeedRecord => ({
  id: deploymentRecordId(facts.id),
  ver,
  rec: { type: 'deployment', ...facts },
});

export const aliasRecord = (facts: Omit<AliasFacts, 'type'>, ver: number): FeedRecord => ({
  id: aliasRecordId(facts.account, facts.name),
  ver,
  rec: { type: 'alias', ...facts },
});
