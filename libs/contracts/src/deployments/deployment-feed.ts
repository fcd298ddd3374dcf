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
  /** Revision that serves new requests; the newest until one is ready. */
  rev: z.int().positive(),
  /** Capabilities of its engine, as its runners reported them. */
  caps: z.array(z.string()),
  /** Tokens per sequence, once known. */
  context: z.int().positive().nullable(),
  /**
   * Agents that it is assigned to: only their runners get requests. Absent from services before 2027 and while one of the agents
   * is older; then every runner gets them.
   */
  agents: z.array(Incarnation).optional(),
  /** Responses are stored in `ResponseStore`. Absent from services before 2027 = false. */
  store: z.boolean().optional(),
});

const AliasRecord = z.object({
  type: z.literal('alias'),
  account: AccountId,
  name: AliasName,
  deployment: DeploymentId,
  /**
   * A second deployment that answers this share of the alias's conversations. 0 = it answers none, and responses that it stored are
   * continued by `deployment`. Absent = none. Gateways of before 2027 ignore it, so
   * all requests stay on `deployment`.
   */
  canary: z.object({ deployment: DeploymentId, percent: z.int().min(0).max(100) }).optional(),
});

/** Deployments and aliases as gateways know them. */
export const DeploymentFeedRecord = z.discriminatedUnion('type', [DeploymentRecord, AliasRecord]);
export type DeploymentFeedRecord = z.infer<typeof DeploymentFeedRecord>;
/** A deployment as gateways know it. */
export type DeploymentFacts = z.infer<typeof DeploymentRecord>;
/** An alias as gateways know it. */
export type AliasFacts = z.infer<typeof AliasRecord>;

/** Deployments and aliases, for gateways. */
export const DeploymentFeed = defineFeed({ name: 'dep', owner: 'deployments', readers: ['gateway'], record: DeploymentFeedRecord });
