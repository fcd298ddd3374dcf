import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField } from '../identity/audit.js';
import { AccountId, DeploymentId, Incarnation } from '../ids.js';
import { eachReadable, enumOr } from '../schemas.js';
import { EngineCredential } from './deployment-commands.js';
import { EngineSource } from './model-source.js';

/** Most model names in one result; servers that route to others list hundreds. */
export const TESTED_MODELS_MAX = 100;

/**
 * Result of an engine test.
 *
 * | outcome | meaning |
 * | --- | --- |
 * | `answers` | it answers and knows the model, lists no models, or was asked about none |
 * | `model_unknown` | it answers, and its list of models does not hold this one |
 * | `unreachable` | nothing answers there, or not as an engine does |
 * | `refused` | it refuses the credential |
 * | `not_allowed` | the worker may not call this host |
 */
export const EngineOutcome = z.enum(['answers', 'model_unknown', 'unreachable', 'refused', 'not_allowed']);

/** An engine in a test: without `model`, it is asked which models it has. */
const TestedEngine = EngineSource.partial({ model: true });

/** Result of an engine test from one agent. */
export const EngineFinding = z.object({
  outcome: enumOr(EngineOutcome, 'unreachable'),
  /** One sentence for people where the test failed. Contains no secret. */
  detail: z.string().max(500).nullable(),
  /** Detected kind of server. */
  server: enumOr(z.enum(['vllm', 'sglang', 'llama-server', 'ollama', 'other']), 'other').nullable(),
  /** Tokens per sequence; null = unknown. */
  context: z.int().positive().nullable(),
  /** Models that it lists, at most `TESTED_MODELS_MAX`; null = it lists none. */
  models: z.array(z.string().max(256)).max(TESTED_MODELS_MAX).nullable(),
  /** Numbers of its embeddings. Absent where it answers conversations, where no model was named, and from agents of release 0.1. */
  dimensions: z.int().positive().optional(),
  /** Duration of the test, in milliseconds. */
  ms: z.int().nonnegative(),
});
export type EngineFinding = z.infer<typeof EngineFinding>;

/** Binding of a test's credential: it opens only for this engine on this agent. */
export const engineTestBinding = (test: { readonly url: string; readonly wk: string }): string => `engine test ${test.url} ${test.wk}`;

/**
 * Asks an engine for its models from one agent, and whether the named one makes embeddings, as loading it does. Each agent serves its own subject and
 * does not keep the credential.
 */
export const TestAgentEngine = defineRpc({
  subject: 'dep.{env}.v1.wrk.{wk}.rpc.test-engine',
  owner: 'worker',
  callers: ['deployments'],
  queue: 'worker',
  request: z.object({
    /** Agents before 2027 refuse an engine without a model. */
    source: TestedEngine,
    /** In clear: for agents without a key, where the operator allows it. */
    credential: EngineCredential.optional(),
    /** Sealed for the agent's key, bound to `engineTestBinding`. */
    sealed: z.string().max(16_384).optional(),
  }),
  reply: EngineFinding,
  errors: [],
  timeoutMs: 12_000,
});

const EngineTest = EngineFinding.extend({
  host: z.string(),
  /** The agent that tested: with `host` it names the worker. Absent from older replicas. */
  agent: Incarnation.optional(),
  /** `silent`: the worker itself did not answer. */
  outcome: enumOr(z.enum([...EngineOutcome.options, 'silent']), 'unreachable'),
});
/** The result of an engine test from one host. */
export type EngineTest = z.infer<typeof EngineTest>;

/**
 * Tests an HTTP engine from the workers that could serve it, before a deployment uses it. Accepts the sources of
 * create-deployment. The audit log records who tested which host. An account may test six times a minute. The credential goes
 * to the workers and is not stored.
 */
export const TestEngine = defineRpc({
  subject: 'dep.{env}.v1.rpc.test-engine',
  owner: 'deployments',
  callers: ['console', 'ops'],
  proof: 'member',
  queue: 'deployments',
  request: z.object({
    account: AccountId,
    source: TestedEngine,
    credential: EngineCredential.optional(),
    /** Where no credential is given, that of this deployment's newest revision for the same host is used. */
    deployment: DeploymentId.optional(),
    ...actorField,
  }),
  /** By host, one for each of as many hosts as the default replicas. Empty = no worker runs HTTP engines. */
  reply: z.object({ tests: eachReadable(EngineTest) }),
  errors: ['source_not_allowed', 'deployment_not_found', 'rate_limit_exceeded'],
  timeoutMs: 15_000,
});
