import { describe, expect, it } from 'vitest';
import type { FoundDeployment } from './deployment-reference.js';
import { DeploymentShown, shownDeployment } from './deployment-views.js';
import type { ToolCall } from './mcp-tool.js';

const call = { caller: { slug: 'acme' }, addresses: { gatewayUrl: 'https://gw.test' } } as unknown as ToolCall;
const shown = (caps: readonly string[]) => {
  const deployment = {
    ...{ id: 7, name: 'd', aliases: [], source: { kind: 'file', path: '/m.gguf' }, desired: 'ready', state: 'ready', since: 'now' },
    ...{ reason: null, detail: null, progress: null, rev: 1, replicas: 1, ready_replicas: 1, context: 512, caps, created_at: 'then' },
  };
  return DeploymentShown.parse(shownDeployment({ deployment, revisions: [], running: [] } as unknown as FoundDeployment, call));
};

describe('a deployment that an agent looks at', () => {
  it('names the endpoint that makes embeddings, and its call', () => {
    const { task, endpoints, example_curl: curl } = shown(['embed', 'dimensions:384']);
    expect({ task, endpoints }).toEqual({ task: 'embeddings', endpoints: ['/v1/embeddings'] });
    expect(curl).toContain('https://gw.test/deployment-7/v1/embeddings');
    expect(curl).toContain('"input"');
  });

  it('names the endpoints of conversations', () => {
    const { task, endpoints, example_curl: curl } = shown(['tools']);
    expect({ task, endpoints }).toEqual({ task: 'chat', endpoints: ['/v1/chat/completions', '/v1/messages', '/v1/responses'] });
    expect(curl).toContain('/v1/chat/completions');
  });

  it('says nothing of what no engine has reported', () => {
    expect(shown([])).not.toHaveProperty('task');
  });
});
