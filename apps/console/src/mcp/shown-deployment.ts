import type { z } from 'zod';
import { adviceFor, type DeploymentShown, listedDeployment } from './deployment-answers.js';
import { knownFields } from './known-fields.js';
import type { ToolCall } from './mcp-tool.js';
import type { FoundDeployment } from './open-deployment.js';

const curlFor = (url: string, slug: string): string =>
  [
    `curl -N ${url}/v1/chat/completions -H "X-API-Key: $SLIPWAY_KEY" -H "content-type: application/json"`,
    `-d '{"model": "${slug}", "stream": true, "messages": [{"role": "user", "content": "Who are you?"}]}'`,
  ].join(' ');

/** Shows a deployment with all that is known of it; what is not known is left out. */
export function shownDeployment({ deployment, revisions }: FoundDeployment, call: ToolCall): z.input<typeof DeploymentShown> {
  const { reason, detail, progress, context, state, rev, serving_rev: serving = rev } = deployment;
  const listed = listedDeployment(deployment, call);
  const newest = revisions.find((revision) => revision.rev === rev);
  return {
    ...listed,
    desired: deployment.desired,
    since: deployment.since,
    replicas: { wanted: deployment.replicas, ready: deployment.ready_replicas },
    revision: rev,
    ...knownFields({
      reason,
      detail,
      progress_percent: progress === null ? null : Math.round(progress * 100),
      slots: newest?.slots,
      context_length: context ?? newest?.context,
      default_max_tokens: newest?.default_max_tokens,
      serving_revision: serving,
    }),
    capabilities: deployment.caps,
    created_at: deployment.created_at,
    example_curl: curlFor(listed.url, listed.slug),
    next_step: adviceFor(listed.slug, state, progress),
  };
}
