import type { AliasFacts, DeploymentFacts, DeploymentFeedRecord } from '@slipway/contracts';
import type { StoredRecord } from '@slipway/feed';

/** A record of the deployment feed with its version. */
export type FeedRecord = StoredRecord<DeploymentFeedRecord>;

export const deploymentRecord = (facts: Omit<DeploymentFacts, 'type'>, ver: number): FeedRecord => ({
  id: `deployment:${facts.id}`,
  ver,
  rec: { type: 'deployment', ...facts },
});

export const aliasRecord = (facts: Omit<AliasFacts, 'type'>, ver: number): FeedRecord => ({
  id: `alias:${facts.account}/${facts.name}`,
  ver,
  rec: { type: 'alias', ...facts },
});
