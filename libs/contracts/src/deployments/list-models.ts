import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { ModelSource } from './model-source.js';

const Model = z.object({
  /** What to name in create-deployment to serve it. */
  source: ModelSource,
  /** File name, for people. */
  name: z.string(),
  /** Of all its parts; null when no machine that has it says. */
  bytes: z.int().nonnegative().nullable(),
  /** Hosts known to have it: downloads in their cache, or files that they serve now. */
  hosts: z.array(z.string()),
  /** The account's deployments whose newest revision names it. */
  deployments: z.array(DeploymentId),
});
export type ModelView = z.infer<typeof Model>;

/**
 * Models that the account can name: GGUF files in the operator's model folders, as far as
 * deployments-service sees them, and what the account's own deployments name besides. What other
 * accounts downloaded is not shown: its address may be a secret. A reply holds as many as a message does.
 */
export const ListModels = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-models',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    /** Only models behind this one in the list: `next` of the reply before. */
    after: ModelSource.optional(),
  }),
  reply: z.object({
    /** By name. */
    models: z.array(Model),
    /** The folders hold more than could be listed. */
    truncated: z.boolean(),
    /** Pass it as `after` for the next page; null on the last one. Absent from older replicas. */
    next: ModelSource.nullable().optional(),
  }),
  errors: [],
  timeoutMs: 5_000,
});
