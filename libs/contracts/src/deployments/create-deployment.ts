import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { ModelSource } from './model-source.js';

/** Makes a deployment that is wanted ready at once. */
export const CreateDeployment = defineRpc({
  subject: 'dep.{env}.v1.rpc.create-deployment',
  owner: 'deployments',
  callers: ['console', 'ops'],
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    name: z.string().trim().min(1).max(100),
    source: ModelSource,
    /** Credential of an HTTP engine. Stored encrypted, never returned. */
    credential: z.string().min(1).max(4_096).optional(),
    /** Tokens per sequence; absent = the model's own. */
    context: z.int().min(64).max(10_000_000).optional(),
    /** Requests served at once by one replica. */
    slots: z.int().min(1).max(1_024).optional(),
    replicas: z.int().min(1).max(64).optional(),
    /** Upper bound of an answer whose request names none. */
    default_max_tokens: z.int().positive().optional(),
  }),
  reply: z.object({ id: DeploymentId }),
  errors: ['source_not_allowed'],
  timeoutMs: 3_000,
});
