import { type DeploymentFacts, isServiceError } from '@slipway/contracts';
import { expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readCountRequest, readMessagesRequest } from './request.js';

const POLICY = { imageHosts: [] };
/** One of everything that a request may hold. */
const REQUEST = {
  model: 'deployment-1',
  max_tokens: 2000,
  system: [{ type: 'text', text: 's' }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } },
        { type: 'document', title: 't', source: { type: 'content', content: [{ type: 'text', text: 'a' }] } },
        { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 'q' }] },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'h', signature: '' },
        { type: 'text', text: 'b' },
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
      ],
    },
    { role: 'system', content: 't' },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name: 'look' }], is_error: false }],
    },
  ],
  tools: [{ name: 'look', description: 'd', input_schema: { type: 'object' }, strict: true, defer_loading: false }],
  tool_choice: { type: 'tool', name: 'look', disable_parallel_tool_use: true },
  thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' },
  output_config: { format: { type: 'json_schema', schema: { type: 'object' } }, effort: 'high' },
  context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
  stop_sequences: ['a'],
  metadata: { user_id: 'u' },
  temperature: 1,
  top_p: 1,
  top_k: 1,
  stream: true,
  mcp_servers: [],
};
const STRANGE: readonly unknown[] = [
  ...[undefined, null, true, -1, 0.5, 1e300, '', 'x', 'constructor', '\u0000'],
  ...[[], [null], [[]], {}, { length: 1e9 }, { length: { toString: 1 } }, { toString: 1 }, { type: { toString: 1 } }, { type: ['text'] }],
];

/** Every value that differs from `value` in one place. */
function* mutationsOf(value: unknown): Generator<unknown> {
  yield* STRANGE;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const mutation of mutationsOf(inner)) {
      const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
      copy[key] = mutation;
      yield copy;
    }
  }
}

const outcomeOf = (work: () => unknown): string => {
  try {
    work();
    return 'understood';
  } catch (error) {
    return isServiceError(error) && error.message.startsWith(`${error.param}: `)
      ? 'refused'
      : String(error instanceof Error ? error.stack : error);
  }
};

it.each([[[]], [['seed']]])(
  'a messages request that is strange in one place is understood, or refused by the name of a field (capabilities %j)',
  (caps: string[]) => {
    const facts = { context: 4096, caps } as unknown as DeploymentFacts;
    const deployment: ResolvedDeployment = { facts, slug: 'deployment-1', alias: undefined, isNamed: () => true };
    const outcomes = new Set<string>();
    for (const mutation of mutationsOf(REQUEST)) {
      if (typeof mutation !== 'object' || mutation === null || Array.isArray(mutation)) continue;
      const body = mutation as Record<string, unknown>;
      outcomes.add(outcomeOf(() => readMessagesRequest(body, deployment, POLICY)));
      outcomes.add(outcomeOf(() => readCountRequest(body, deployment, POLICY)));
    }
    expect([...outcomes].filter((outcome) => outcome !== 'understood')).toEqual(['refused']);
  },
);
