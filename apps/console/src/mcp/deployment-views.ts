import {
  deploymentSlug,
  type DeploymentTask,
  type DeploymentView,
  DesiredState,
  ObservedState,
  type RequestedReplicas,
  ServiceError,
  taskOf,
} from '@slipway/contracts';
import { z } from 'zod';
import type { FoundDeployment } from './deployment-reference.js';
import { knownFields, type ToolCall } from './mcp-tool.js';
import { ModelShown, showModel } from './model-reference.js';

/** Tool arguments with the settings of a deployment. */
export const settingsInput = {
  context_length: z.int().min(64).max(10_000_000).optional().describe('Tokens per request; the model’s own unless given.'),
  slots: z.int().min(1).max(1_024).optional().describe('Requests that one replica serves at once.'),
  replicas: z.int().min(1).max(64).optional().describe('On how many workers it runs.'),
  max_replicas: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .describe('Lets the load decide on how many workers it runs, from replicas, or 1 unless given, up to this.'),
  target_percent: z
    .int()
    .min(10)
    .max(100)
    .optional()
    .describe('With max_replicas: share of the slots that requests should take; 70 unless given.'),
  default_max_tokens: z.int().positive().optional().describe('Max tokens of requests that name no limit.'),
  store_responses: z
    .boolean()
    .optional()
    .describe('Whether responses of /v1/responses are stored for an hour, so that requests can refer to them; off unless given.'),
};

/** Replicas that tool arguments ask for. @throws ServiceError for a target without a range */
export function replicasIn(input: ReplicaInput): RequestedReplicas | undefined {
  const { replicas, max_replicas: max, target_percent } = input;
  if (max !== undefined) return { min: replicas ?? 1, max, target_percent };
  if (target_percent === undefined) return replicas;
  throw new ServiceError('invalid_request', 'target_percent needs max_replicas.', { param: 'target_percent' });
}

interface ReplicaInput {
  readonly replicas?: number | undefined;
  readonly max_replicas?: number | undefined;
  readonly target_percent?: number | undefined;
}

const Deployment = {
  slug: z.string(),
  name: z.string(),
  model: ModelShown,
  state: ObservedState,
  aliases: z.array(z.string()),
  url: z
    .string()
    .describe('Base address of the deployment; chat completions are at {url}/v1/chat/completions, embeddings at {url}/v1/embeddings.'),
};

/** Output schema of a deployment in lists. */
export const DeploymentListed = z.object(Deployment);

/** Output schema of tools that change a deployment. */
export const DeploymentChanged = z.object({
  slug: z.string(),
  state: ObservedState,
  next_step: z.string().describe('What to do now.'),
});

/** Output schema of one deployment with all details. */
export const DeploymentShown = z.object({
  ...Deployment,
  desired: DesiredState,
  since: z.string().describe('When it came into its state, UTC.'),
  reason: z.string().optional().describe('Why it is pending, degraded or failed, as a stable word.'),
  detail: z.string().optional(),
  progress_percent: z.int().optional().describe('Of what loads.'),
  replicas: z.object({
    wanted: z.int(),
    ready: z.int(),
    min: z.int().optional().describe('With max and target_percent: the load decides how many are wanted.'),
    max: z.int().optional(),
    target_percent: z.int().optional(),
  }),
  slots: z.int().optional().describe('Requests that one replica serves at once.'),
  context_length: z.int().optional().describe('Tokens per request, once known.'),
  default_max_tokens: z.int().optional(),
  store_responses: z.boolean().describe('Whether responses of /v1/responses are stored for an hour.'),
  revision: z.int().describe('The newest; pass it as expected_revision to update_deployment.'),
  serving_revision: z.int().optional().describe('The one that requests go to.'),
  task: z.enum(['chat', 'embeddings']).optional().describe('What it does, once an engine has loaded its model.'),
  endpoints: z.array(z.string()).optional().describe('Endpoints under its address that do it.'),
  capabilities: z.array(z.string()),
  created_at: z.string(),
  example_curl: z.string(),
  next_step: z.string(),
});

/** Base address of a deployment. */
export const urlOf = (id: DeploymentView['id'], { addresses }: ToolCall): string => `${addresses.gatewayUrl}/${deploymentSlug(id)}`;

/** A deployment as lists show it. */
export function listedDeployment(view: DeploymentView, call: ToolCall): z.input<typeof DeploymentListed> {
  const { id, name, state, source } = view;
  const aliases = view.aliases.map((alias) => `${call.caller.slug}/${alias}`);
  return { slug: deploymentSlug(id), name, model: showModel(source), state, aliases, url: urlOf(id, call) };
}

const ADVICE: Record<ObservedState, string> = {
  pending: 'waits for a worker with room. Call get_deployment again in 10 s; its reason says what is missing.',
  loading: 'is loading. Call get_deployment again in 10 s.',
  ready: 'is ready. Call it with a deployment key of the account, which a person creates in the console.',
  degraded: 'serves requests, but not as configured: see reason and detail of get_deployment.',
  stopping: 'takes no new requests and lets running ones end. Call get_deployment again in 10 s.',
  stopped: 'is stopped. Call resume_deployment to serve it again, or delete_deployment to remove it.',
  failed:
    'failed and is tried again by itself. Read get_deployment_logs, then repair it with update_deployment, or call resume_deployment once the cause is gone.',
  deleting: 'is being deleted.',
};

/** The next step for a state, in one sentence for the agent. */
export function adviceFor(slug: string, state: ObservedState, progress: number | null = null): string {
  if (state === 'loading' && progress !== null) {
    return `${slug} is loading (${Math.round(progress * 100)} %). Call get_deployment again in 10 s.`;
  }
  return `${slug} ${ADVICE[state]}`;
}

/** Output of a tool that changed a deployment. */
export function changedDeployment(id: DeploymentView['id'], state: ObservedState): z.input<typeof DeploymentChanged> {
  const slug = deploymentSlug(id);
  return { slug, state, next_step: adviceFor(slug, state) };
}

const ENDPOINTS: Readonly<Record<DeploymentTask, readonly string[]>> = {
  chat: ['/v1/chat/completions', '/v1/messages', '/v1/responses'],
  embeddings: ['/v1/embeddings'],
};

const embeddingCurl = (url: string, slug: string): string =>
  [
    `curl ${url}/v1/embeddings -H "X-API-Key: $SLIPWAY_API_KEY" -H "content-type: application/json"`,
    `-d '{"model": "${slug}", "input": ["The cat sleeps on the sofa."]}'`,
  ].join(' ');

const curlFor = (url: string, slug: string): string =>
  [
    `curl -N ${url}/v1/chat/completions -H "X-API-Key: $SLIPWAY_API_KEY" -H "content-type: application/json"`,
    `-d '{"model": "${slug}", "stream": true, "messages": [{"role": "user", "content": "Who are you?"}]}'`,
  ].join(' ');

/** A deployment with all details; unknown fields are left out. */
export function shownDeployment({ deployment, revisions }: FoundDeployment, call: ToolCall): z.input<typeof DeploymentShown> {
  const { reason, detail, progress, context, state, rev, serving_rev: serving = rev } = deployment;
  const listed = listedDeployment(deployment, call);
  const newest = revisions.find((revision) => revision.rev === rev);
  const task = taskOf(deployment.caps);
  return {
    ...listed,
    desired: deployment.desired,
    since: deployment.since,
    replicas: { wanted: deployment.replicas, ready: deployment.ready_replicas, ...deployment.replica_range },
    revision: rev,
    ...knownFields({
      reason,
      detail,
      progress_percent: progress === null ? null : Math.round(progress * 100),
      slots: newest?.slots,
      context_length: context ?? newest?.context,
      default_max_tokens: newest?.default_max_tokens,
      serving_revision: serving,
      task,
      endpoints: task && [...ENDPOINTS[task]],
    }),
    store_responses: deployment.store_responses ?? false,
    capabilities: deployment.caps,
    created_at: deployment.created_at,
    example_curl: (task === 'embeddings' ? embeddingCurl : curlFor)(listed.url, listed.slug),
    next_step: adviceFor(listed.slug, state, progress),
  };
}
