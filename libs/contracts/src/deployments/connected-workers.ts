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
