import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Actor } from '../identity/audit.js';
import { DeploymentId, Incarnation } from '../ids.js';
import { eachReadable, enumOr } from '../schemas.js';
import { WorkerPool } from './assignments.js';

/** Workers that one reply lists. */
export const CONNECTED_WORKERS_PAGE = 200;
/** Deployments that one worker is listed with. */
export const WORKER_DEPLOYMENTS_MAX = 100;

/** Replicas of a drained worker that are listed with what they wait for. */
export const REPLICAS_LEFT_MAX = 10;

/**
 * Why a replica is still on its drained worker. `no_worker` and `no_capacity`: no other worker can run it, or has room for it, as
 * in `slipway_placement_unplaced_replicas`. `loading`: another worker loads it. `failed`: it failed there, and is tried again.
 * `ending`: another worker serves it or nobody wants it, and its requests end here.
 */
export const ReplicaLeft = z.object({
  dep: DeploymentId,
  rev: z.int().positive(),
  reason: enumOr(z.enum(['no_worker', 'no_capacity', 'loading', 'failed', 'ending']), 'loading'),
  /** One public sentence or two, with the number that matters. */
  detail: z.string().max(500),
});
export type ReplicaLeft = z.infer<typeof ReplicaLeft>;

/** A worker whose heartbeats arrive, as placement sees it. */
export const ConnectedWorker = z.object({
  wk: Incarnation,
  host: z.string(),
  zone: z.string().nullable(),
  /** Absent from older replicas. */
  pool: WorkerPool.optional(),
  /**
   * `draining`: an operator drains it, and it still has loads. `drained`: the same, and it has none. `stopping`: its process is
   * being stopped. All three get no new replica.
   */
  state: enumOr(z.enum(['active', 'draining', 'drained', 'stopping']), 'active'),
  /** Since when an operator drains it; null = no operator does. */
  drained_since: z.iso.datetime().nullable(),
  /** Replicas that it holds, in any state, those that end included. */
  loads: z.int().nonnegative(),
  /** Their deployments by number, the first 100. */
  deployments: z.array(DeploymentId).max(WORKER_DEPLOYMENTS_MAX),
  /**
   * What replicas of a drained worker wait for, the first 10 by deployment, as of the last two seconds. Absent for other workers,
   * until the placer has looked, and from replicas of the service before release 0.2.
   */
  left: z.array(ReplicaLeft).max(REPLICAS_LEFT_MAX).optional(),
});
export type ConnectedWorker = z.infer<typeof ConnectedWorker>;

/** The workers whose heartbeats arrive, by name; 200 per reply. */
export const ListConnectedWorkers = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-workers',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  request: z.object({ after: Incarnation.optional() }),
  reply: z.object({ workers: eachReadable(ConnectedWorker, CONNECTED_WORKERS_PAGE), next: Incarnation.nullable() }),
  errors: [],
  timeoutMs: 3_000,
});

/**
 * Drains a worker, or ends that. A drained worker gets no new replica. Each of its replicas goes on to serve until another worker
 * has one ready; then it gets no new stream, and running streams end within the worker's `UNLOAD_GRACE_MS`. The drain lasts until
 * it is ended, or until the worker's process ends. Repeating either is harmless.
 */
export const DrainWorker = defineRpc({
  subject: 'dep.{env}.v1.rpc.drain-worker',
  owner: 'deployments',
  callers: ['ops'],
  queue: 'deployments',
  request: z.object({ wk: Incarnation, drain: z.boolean(), actor: Actor }),
  reply: z.object({ worker: ConnectedWorker }),
  errors: ['not_found'],
  timeoutMs: 3_000,
});
