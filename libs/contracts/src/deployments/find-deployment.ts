import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId, Incarnation } from '../ids.js';
import { StateReason } from './deployment-state.js';
import { DeploymentView } from './deployment-view.js';
import { ModelSource } from './model-source.js';

/** What one agent does for the deployment at this moment. */
const Replica = z.object({
  agent: Incarnation,
  host: z.string(),
  rev: z.int().positive(),
  state: z.enum(['loading', 'ready', 'draining', 'failed']),
  progress: z.number().min(0).max(1).nullable(),
  reason: StateReason.nullable(),
  detail: z.string().nullable(),
  /** Tokens per sequence, once known. */
  context: z.int().positive().nullable(),
});
export type ReplicaView = z.infer<typeof Replica>;

/** What the deployment ran or runs, as it was asked for; null where the default applies. */
const Revision = z.object({
  rev: z.int().positive(),
  source: ModelSource,
  /** True when a credential for its engine is stored. */
  credential: z.boolean(),
  context: z.int().positive().nullable(),
  slots: z.int().positive(),
  threads: z.int().positive().nullable(),
  default_max_tokens: z.int().positive().nullable(),
  created_at: z.iso.datetime(),
});
export type RevisionView = z.infer<typeof Revision>;

/** One deployment with all that is known of it. */
export const FindDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.find-deployment',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({ account: AccountId, deployment: DeploymentId }),
  reply: z.object({
    deployment: DeploymentView.extend({
      created_at: z.iso.datetime(),
      /** When it came into its state. */
      since: z.iso.datetime(),
      /** What requests may use: of the revision that serves, as its replicas reported it last. */
      caps: z.array(z.string()),
      context: z.int().positive().nullable(),
    }),
    /** Newest first, at most 50; fewer where their sources are very long. */
    revisions: z.array(Revision),
    /** By host, of every revision. Empty while no worker has anything of it. */
    running: z.array(Replica),
  }),
  errors: ['deployment_not_found'],
  timeoutMs: 3_000,
});
