import type { StreamEvent, Usage } from '@slipway/contracts';
import { type Script, usageOf } from './scripted-runner.js';

export type Fields = Readonly<Record<string, unknown>>;
export const start: StreamEvent = { k: 'start', prompt: 7, cached: 3 };
export const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
export const think = (x: string): StreamEvent => ({ k: 'think', x, n: 1 });
export const call = (i: number, id = `call_${i}`): StreamEvent => ({ k: 'call', i, id, name: 'look', n: 1 });
export const args = (i: number, x: string): StreamEvent => ({ k: 'args', i, x, n: 1 });
export const fin = (r: Extract<StreamEvent, { k: 'fin' }>['r'], stop?: string): StreamEvent => ({
  k: 'fin',
  r,
  ...(stop !== undefined && { stop }),
});
/** An engine that sends these events, one step each. */
export const saying =
  (events: readonly StreamEvent[], usage: Partial<Usage> = {}): Script =>
  async (_start, writer) => {
    for (const event of events) writer.events([event]);
    return { ...usageOf(3), usage: { ...usageOf(3).usage, ...usage } };
  };

const TOOL = { name: 'look', input_schema: { type: 'object' } };
export const TOOLS = { tools: [TOOL] };
export const THINKING = { thinking: { type: 'adaptive' } };
export const textBlock = (value: string) => ({ type: 'text', text: value });
const toolBlock = (id: string, input: object) => ({ type: 'tool_use', id, name: 'look', input });
const thinkingBlock = (value: string) => ({ type: 'thinking', thinking: value, signature: '' });

/** An engine's events, and the response that they become. */
export const ANSWERS: readonly (readonly [what: string, fields: Fields, script: Script, expected: Fields])[] = [
  [
    'a call, with what was said before it',
    TOOLS,
    saying([start, text('I look.'), call(0), args(0, '{"q":'), args(0, '"x"}'), fin('tool_calls')]),
    { content: [textBlock('I look.'), toolBlock('call_0', { q: 'x' })], stop_reason: 'tool_use' },
  ],
  [
    'a call without arguments',
    TOOLS,
    saying([start, call(0), fin('tool_calls')]),
    { content: [toolBlock('call_0', {})], stop_reason: 'tool_use' },
  ],
  [
    'a call after which the engine just says stop',
    TOOLS,
    saying([start, call(0), args(0, '{}'), fin('stop')]),
    { content: [toolBlock('call_0', {})], stop_reason: 'tool_use' },
  ],
  [
    'two calls where one is wanted',
    { ...TOOLS, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    saying([start, call(0), args(0, '{"q":1}'), call(1), args(1, '{"q":2}'), fin('tool_calls')]),
    { content: [toolBlock('call_0', { q: 1 })], stop_reason: 'tool_use' },
  ],
  [
    'text after a call',
    TOOLS,
    saying([start, call(0), args(0, '{}'), text('Done.'), fin('stop')]),
    { content: [toolBlock('call_0', {}), textBlock('Done.')], stop_reason: 'tool_use' },
  ],
  [
    'a call that the limit cut',
    { ...TOOLS, max_tokens: 3 },
    saying([start, text('I look.'), call(0), args(0, '{"q":'), fin('length')]),
    { content: [textBlock('I look.')], stop_reason: 'max_tokens' },
  ],
  [
    'thoughts that were asked for',
    THINKING,
    saying([start, think('h'), think('m'), text('yes'), fin('stop')], { reasoning: 2 }),
    { content: [thinkingBlock('hm'), textBlock('yes')], stop_reason: 'end_turn', usage: { output_tokens_details: { thinking_tokens: 2 } } },
  ],
  [
    'thoughts and nothing else',
    THINKING,
    saying([start, think('hm'), fin('stop')]),
    { content: [thinkingBlock('hm')], stop_reason: 'end_turn' },
  ],
  [
    'no thoughts, of a model that has none',
    { thinking: { type: 'adaptive', display: 'omitted' } },
    saying([start, text('yes'), fin('stop')]),
    { content: [textBlock('yes')], stop_reason: 'end_turn' },
  ],
  [
    'thoughts that were not requested',
    {},
    saying([start, think('hm'), text('yes'), fin('stop')]),
    { content: [textBlock('yes')], stop_reason: 'end_turn' },
  ],
  [
    'a stop sequence',
    { stop_sequences: ['a', 'b', 'c', 'd', 'END'] },
    saying([start, text('so far'), fin('stop_sequence', 'END')]),
    { content: [textBlock('so far')], stop_reason: 'stop_sequence', stop_sequence: 'END' },
  ],
  ['the limit', { max_tokens: 3 }, saying([start, text('a'), fin('length')]), { stop_reason: 'max_tokens' }],
  [
    'the end of the context',
    { max_tokens: 90 },
    saying([start, text('a'), fin('length')]),
    { stop_reason: 'model_context_window_exceeded' },
  ],
  [
    'a refusal',
    {},
    saying([start, text('I'), fin('content_filter')]),
    { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null, explanation: null } },
  ],
  ['nothing', {}, saying([start, fin('stop')]), { content: [], stop_reason: 'end_turn' }],
  [
    'nothing, as was asked for',
    { max_tokens: 0 },
    saying([start, text('a'), fin('length')], { completion: 1 }),
    {
      content: [],
      stop_reason: 'max_tokens',
      usage: { input_tokens: 4, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 3 },
    },
  ],
  [
    'an answer that was begun',
    {
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'The answer is (' },
      ],
    },
    saying([start, text('B)'), fin('stop')]),
    { content: [textBlock('B)')], stop_reason: 'end_turn' },
  ],
  [
    'a form',
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    saying([start, text('{"a":'), text('1}'), fin('stop')]),
    { content: [textBlock('{"a":1}')], stop_reason: 'end_turn' },
  ],
];
