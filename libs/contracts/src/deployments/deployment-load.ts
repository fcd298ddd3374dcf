import { z } from 'zod';
import { defineEvent, defineRpc } from '../channel.js';
import { AccountId, DeploymentId, Incarnation } from '../ids.js';
import { eachReadable } from '../schemas.js';

/** Interval of a gateway's reports, in milliseconds. */
export const GATEWAY_LOAD_MS = 2_000;
/** Most deployments in one report; a gateway with more sends several. */
export const GATEWAY_LOADS_MAX = 1_000;

const Requests = z.int().nonnegative();

/**
 * A gateway's requests in flight and in its queue, each 2 s: of the deployments that have any, and once more of those that had
 * some in the report before. A gateway without traffic sends nothing. Readers forget a figure after 5 s without a report.
 */
export const GatewayLoad = defineEvent({
  subject: 'inf.{env}.v1.load.{gw}',
  publishers: ['gateway'],
  subscribers: ['deployments'],
  message: z.object({
    gw: Incarnation,
    loads: eachReadable(z.object({ dep: DeploymentId, in_flight: Requests, queued: Requests }), GATEWAY_LOADS_MAX),
  }),
});
export type GatewayLoad = z.infer<typeof GatewayLoad.message>;

const Load = z.object({
  deployment: DeploymentId,
  /**
   * Requests on workers: the slots in use. It may exceed `slots` by requests that several gateways sent at the same moment, which
   * wait at the worker. Token counts take no slot and are not among them.
   */
  in_flight: Requests,
  /** Requests that wait at gateways for a free slot. */
  queued: Requests,
  /** Requests that its ready replicas serve at once. */
  slots: z.int().nonnegative(),
  /** Gateways that report requests of it. */
  gateways: z.int().nonnegative(),
  /** When the oldest of these figures was reported; without requests, the time of the reply. */
  as_of: z.iso.datetime(),
});
/** Present load of a deployment. */
export type DeploymentLoad = z.infer<typeof Load>;

/** The present load of an account's deployments, oldest first, in pages of one message. Figures are up to 2 s old. */
export const ListDeploymentLoads = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-loads',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    /** Only this deployment. */
    deployment: DeploymentId.optional(),
    /** Only deployments with higher numbers: `next` of the previous reply. */
    after: DeploymentId.optional(),
  }),
  reply: z.object({ loads: eachReadable(Load), next: DeploymentId.nullable() }),
  errors: [],
  timeoutMs: 3_000,
});
