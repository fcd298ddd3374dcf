import { z } from 'zod';
import { defineFeed } from '../feed.js';
import { AccountId, AliasName, DeploymentId, Incarnation } from '../ids.js';
import { ReadDesiredState, ReadObservedState } from './deployment-state.js';

const DeploymentRecord = z.object({
  type: z.literal('deployment'),
  id: DeploymentId,
  account: AccountId,
  desired: ReadDesiredState,
  state: ReadObservedState,
  /** Revision that new requests go to; before any was ready, the newest. */
  rev: z.int().positive(),
  /** What its engine can do, as its runners reported it. */
  caps: z.array(z.string()),
  /** Tokens per sequence, once known. */
  context: z.int().positive().nullable(),
  /**
   * Agents that it is assigned to: their runners alone get requests. Absent from services of before 2027, and while one of
   * the agents is older: every runner gets them.
   */
  agents: z.array(Incarnation).optional(),
});

const AliasRecord = z.object({
  type: z.literal('alias'),
  account: AccountId,
  name: AliasName,
  deployment: DeploymentId,
});

/** What gateways know of deployments and aliases. */
export const DeploymentFeedRecord = z.discriminatedUnion('type', [DeploymentRecord, AliasRecord]);
export type DeploymentFeedRecord = z.infer<typeof DeploymentFeedRecord>;
/** A deployment as gateways know it. */
export type DeploymentFacts = z.infer<typeof DeploymentRecord>;
/** An alias as gateways know it. */
export type AliasFacts = z.infer<typeof AliasRecord>;

/** Deployments and aliases, for gateways. */
export const DeploymentFeed = defineFeed({ name: 'dep', owner: 'deployments', readers: ['gateway'], record: DeploymentFeedRecord });
