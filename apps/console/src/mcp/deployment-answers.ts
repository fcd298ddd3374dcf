import { DesiredState, type DeploymentView, deploymentSlug, ObservedState } from '@slipway/contracts';
import { z } from 'zod';
import { ModelShown, showModel } from './model-reference.js';
import type { ToolCall } from './mcp-tool.js';

const Deployment = {
  slug: z.string(),
  name: z.string(),
  model: ModelShown,
  state: ObservedState,
  aliases: z.array(z.string()),
  url: z.string().describe('Base address of the deployment; chat completions are at {url}/v1/chat/completions.'),
};

/** A deployment in lists. */
export const DeploymentListed = z.object(Deployment);

/** What changes of a deployment answer. */
export const DeploymentChanged = z.object({
  slug: z.string(),
  state: ObservedState,
  next_step: z.string().describe('What to do now.'),
});

/** A deployment with all that is known of it. */
export const DeploymentShown = z.object({
  ...Deployment,
  desired: DesiredState,
  since: z.string().describe('When it came into its state, UTC.'),
  reason: z.string().optional().describe('Why it is pending, degraded or failed, as a stable word.'),
  detail: z.string().optional(),
  progress_percent: z.int().optional().describe('Of what loads.'),
  replicas: z.object({ wanted: z.int(), ready: z.int() }),
  slots: z.int().optional().describe('Requests that one replica serves at once.'),
  context_length: z.int().optional().describe('Tokens per request, once known.'),
  default_max_tokens: z.int().optional(),
  revision: z.int().describe('The newest; pass it as expected_revision to update_deployment.'),
  serving_revision: z.int().optional().describe('The one that requests go to.'),
  capabilities: z.array(z.string()),
  created_at: z.string(),
  example_curl: z.string(),
  next_step: z.string(),
});

export const urlOf = (id: DeploymentView['id'], { addresses }: ToolCall): string => `${addresses.gatewayUrl}/${deploymentSlug(id)}`;

export function listedDeployment(view: DeploymentView, call: ToolCall): z.input<typeof DeploymentListed> {
  const { id, name, state, source } = view;
  const aliases = view.aliases.map((alias) => `${call.caller.slug}/${alias}`);
  return { slug: deploymentSlug(id), name, model: showModel(source), state, aliases, url: urlOf(id, call) };
}

const ADVICE: Record<ObservedState, string> = {
  pending: 'waits for a worker with room. Call get_deployment again in 10 s; its reason says what is missing.',
  loading: 'is loading. Call get_deployment again in 10 s.',
  ready: 'answers. Call it with a deployment key of the account, which a person makes in the console.',
  degraded: 'answers, but not as wanted: reason and detail of get_deployment say why.',
  stopping: 'takes no new requests and lets running ones end. Call get_deployment again in 10 s.',
  stopped: 'is stopped. Call resume_deployment to serve it again, or delete_deployment to remove it.',
  failed:
    'failed and is tried again by itself. Read get_deployment_logs, then repair it with update_deployment, or call resume_deployment once the cause is gone.',
  deleting: 'is being deleted.',
};

/** What an agent does about a state, in one sentence. */
export function adviceFor(slug: string, state: ObservedState, progress: number | null = null): string {
  if (state === 'loading' && progress !== null) {
    return `${slug} is loading (${Math.round(progress * 100)} %). Call get_deployment again in 10 s.`;
  }
  return `${slug} ${ADVICE[state]}`;
}

/** What a command answers. */
export function changedDeployment(id: DeploymentView['id'], state: ObservedState): z.input<typeof DeploymentChanged> {
  const slug = deploymentSlug(id);
  return { slug, state, next_step: adviceFor(slug, state) };
}
