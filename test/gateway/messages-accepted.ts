import type { CanonicalRequest } from '@slipway/contracts';
import { type Body, TOOL, SCHEMA, user, assistant, says } from '../../conformance/src/messages/parts.js';

/** Fields, and what the engine gets beside the messages. */
export const HONOURED: readonly (readonly [sends: string, body: Body, canonical: Partial<CanonicalRequest>])[] = [
  ['more tokens than fit', { max_tokens: 1e9 }, { max_tokens: 4096 }],
  ['five stop sequences', { stop_sequences: ['a', 'b', 'c', 'd', 'e'] }, { stop: ['a', 'b', 'c', 'd', 'e'] }],
  ['sampling', { temperature: 1.5, top_p: 0.5, top_k: 7 }, { sampling: { temperature: 1.5, top_p: 0.5, top_k: 7 } }],
  ['null for what has a default', { temperature: null, top_p: null, stop_sequences: null, tools: null }, { sampling: {}, stop: [] }],
  ['any tool', { tools: [TOOL], tool_choice: { type: 'any' } }, { tool_choice: 'required' }],
  ['one tool', { tools: [TOOL], tool_choice: { type: 'tool', name: 'look' } }, { tool_choice: { name: 'look' } }],
  ['no tool', { tools: [TOOL], tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
  ['one call at a time', { tools: [TOOL], tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, { parallel_tool_calls: false }],
  [
    'a tool with all that clients add',
    {
      tools: [
        { ...TOOL, type: 'custom', eager_input_streaming: true, cache_control: null, input_schema: { $schema: 'x', ...TOOL.input_schema } },
      ],
    },
    { tools: [{ name: 'look', description: 'Looks.', parameters: TOOL.input_schema }] },
  ],
  [
    'a form',
    { output_config: { format: SCHEMA } },
    { output: { kind: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true } },
  ],
  [
    'the older spelling of a form',
    { output_format: SCHEMA },
    { output: { kind: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true } },
  ],
  ['an effort', { output_config: { effort: 'max' } }, { reasoning: { effort: 'max' } }],
  ['thinking', { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 }, { reasoning: { enabled: true, budget: 1024 } }],
  ['an answer to continue', says(user('q'), assistant('x')), { continue_final: true }],
];

/** Taken by every engine, and without effect on what it is asked. */
export const IGNORED: readonly (readonly [sends: string, body: Body])[] = [
  ['a wish to cache', { cache_control: { type: 'ephemeral', ttl: '1h' } }],
  ['metadata of 300 characters', { metadata: { user_id: 'x'.repeat(300) } }],
  ['an edit of what is not kept', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }],
  ['tiers and places', { service_tier: 'auto', speed: 'fast', inference_geo: 'eu', diagnostics: { x: 1 }, billing_policy: {} }],
  ['nothing of what is not offered', { container: null, mcp_servers: [], thread: null, tools: [], fallbacks: [] }],
];
