import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId } from '../ids.js';
import { Actor } from '../keys/actor.js';
import { EngineFinding } from './agent-engine-test.js';
import { EngineSource } from './model-source.js';
import { EngineCredential } from './serving-settings.js';

const EngineTest = EngineFinding.extend({
  host: z.string(),
  /** `silent`: the worker itself did not answer. */
  outcome: z.enum([...EngineFinding.shape.outcome.options, 'silent']),
});
export type EngineTest = z.infer<typeof EngineTest>;

/**
 * Tries an HTTP engine from the workers that could serve it, before a deployment names it. What may be named is what
 * create-deployment takes. The audit log tells who tested which host, and an
 * account may test six times in a minute. The credential travels to the workers and ends there.
 */
export const TestEngine = defineRpc({
  subject: 'dep.{env}.v1.rpc.test-engine',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    source: EngineSource,
    credential: EngineCredential.optional(),
    /** Without a credential, the one that this deployment's newest revision keeps for the same host is used. */
    deployment: DeploymentId.optional(),
    /** Absent from callers of before 2027. */
    actor: Actor.optional(),
  }),
  /** By host, at most one for each replica that such a deployment has by default. Empty: no worker runs HTTP engines. */
  reply: z.object({ tests: z.array(EngineTest) }),
  errors: ['source_not_allowed', 'deployment_not_found', 'rate_limit_exceeded'],
  timeoutMs: 15_000,
});
