import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { openEnum } from '../schemas.js';
import { ChangedBy } from './deployment-audit.js';
import { ReadObservedState, ReadStateReason } from './deployment-state.js';

/** Events kept of each deployment; the oldest go first. */
export const DEPLOYMENT_EVENTS_MAX = 500;
/** Most events of one reply. */
const PAGE_MAX = 200;

/**
 * What happened to a deployment.
 *
 * | kind | what | fields |
 * | --- | --- | --- |
 * | `state` | its observed state changed | `state`, `reason`, `detail`, `rev`, `ready_replicas` |
 * | `serving` | another revision serves new requests | `rev` |
 * | `replicas` | replicas were lost or added without a change of its state | `rev`, `ready_replicas`; fact `before` |
 * | `autoscale` | its load changed how many replicas are wanted | facts `before`, `replicas`, `requests` |
 * | `deployment.create`, `deployment.update` | a revision was made, or the name changed | `rev`, `by`; facts: the changes |
 * | `deployment.scale`, `deployment.stop`, `deployment.resume`, `deployment.retry` | the owner's command | `by`; facts `replicas`, and `min`, `max`, `target_percent` of a range |
 * | `alias.point`, `alias.remove` | an alias was pointed at it or away from it, or removed | `by`; facts `alias`, `deployment` |
 * | `rollout.start`, `rollout.advance`, `rollout.promote`, `rollout.back` | a rollout of an alias from or to it | `by`; facts `alias`, `deployment`, `percent`, `reason` |
 */
export const DEPLOYMENT_EVENT_KINDS = [
  'state',
  'serving',
  'replicas',
  'autoscale',
  'deployment.create',
  'deployment.update',
  'deployment.scale',
  'deployment.stop',
  'deployment.resume',
  'deployment.retry',
  'alias.point',
  'alias.remove',
  'rollout.start',
  'rollout.advance',
  'rollout.promote',
  'rollout.back',
] as const;
/** A kind of event. */
export type DeploymentEventKind = (typeof DEPLOYMENT_EVENT_KINDS)[number];

/** One event of a deployment. */
export const DeploymentEvent = z.object({
  /** Later events have higher numbers. */
  id: z.int().positive(),
  deployment: DeploymentId,
  /** When it happened; of repeated failures, the last time. */
  at: z.iso.datetime(),
  /** When it happened first: equal to `at` unless it was repeated. */
  first_at: z.iso.datetime(),
  /** Failures with one reason that follow each other are one event with their number. Retries in between are left out. */
  count: z.int().positive(),
  kind: openEnum(DEPLOYMENT_EVENT_KINDS),
  state: ReadObservedState.nullable(),
  reason: ReadStateReason.nullable(),
  /** Explanation of `reason` for people. */
  detail: z.string().nullable(),
  rev: z.int().positive().nullable(),
  ready_replicas: z.int().nonnegative().nullable(),
  /** Who did it; null = the service itself. */
  by: ChangedBy.nullable(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});
export type DeploymentEvent = z.infer<typeof DeploymentEvent>;

/**
 * Events of a deployment, or of all deployments of an account, newest first. The newest 500 of each deployment are kept, and end
 * with it. State changes from before these were stored are missing.
 */
export const ListDeploymentEvents = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-events',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    /** Absent = all deployments of the account. */
    deployment: DeploymentId.optional(),
    /** Only events with lower numbers: `next` of the previous reply. */
    before: z.int().positive().optional(),
    /** Absent = 50. */
    limit: z.int().min(1).max(PAGE_MAX).optional(),
  }),
  reply: z.object({
    events: z.array(DeploymentEvent),
    /** Pass it as `before` for the next page; null on the last one. */
    next: z.int().positive().nullable(),
  }),
  errors: ['deployment_not_found'],
  timeoutMs: 3_000,
});
