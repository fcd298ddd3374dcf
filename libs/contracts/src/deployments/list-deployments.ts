import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';
import { DesiredState, ObservedState, StateReason } from './deployment-state.js';
import { ModelSource } from './model-source.js';

const Deployment = z.object({
  id: DeploymentId,
  name: z.string(),
  aliases: z.array(AliasName),
  source: ModelSource,
  desired: DesiredState,
  state: ObservedState,
  reason: StateReason.nullable(),
  /** What a person may read about `reason`. */
  detail: z.string().nullable(),
  /** Of loading, 0 to 1. */
  progress: z.number().min(0).max(1).nullable(),
  rev: z.int().positive(),
  replicas: z.int(),
  ready_replicas: z.int(),
});
export type DeploymentView = z.infer<typeof Deployment>;

/** An account's deployments, oldest first. */
export const ListDeployments = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-deployments',
  owner: 'deployments',
  callers: ['console', 'ops'],
  queue: 'deployments',
  request: z.object({ account: AccountId }),
  reply: z.object({ deployments: z.array(Deployment) }),
  errors: [],
  timeoutMs: 3_000,
});
