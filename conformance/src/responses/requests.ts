import type { Part } from '../case.js';
import { ABSENT, expectLike, NOTHING, TEXT, that, WHOLE } from '../check.js';
import { CONTEXT, finish, piece, refuses, thought, whole } from '../engine-answers.js';
import { lineOf } from '../engine-lines.js';
import { askResponses, expectRefused, format, type Json, outputOf, schema, tool, userSays } from './parts.js';

const LOST_TURN = 'the model answers without a part of the conversation, and nobody is told';
const TWO_CALLS: readonly Json[] = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
  { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"q":1}' },
  { type: 'function_call', call_id: 'b', name: 'f', arguments: '{"q":2}' },
  { type: 'function_call_output', call_id: 'b', output: 'B' },
  { type: 'function_call_output', call_id: 'a', output: 'A' },
];

/** Inputs, and the messages that the engine gets. */
const CONVERSATIONS: readonly (readonly [number: number, sends: string, body: Json, lines: readonly string[]])[] = [
  [
    4,
    'instructions, a developer and a system message',
    { instructions: 'i', input: [{ role: 'developer', content: 'd' }, { role: 'system', content: 's' }, userSays('x')] },
    ['system: i\n\nd\n\ns', 'user: x'],
  ],
  [5, 'a developer message after a user message', { input: [userSays('x'), { role: 'developer', content: 'd' }] }, ['user: x\n\nd']],
  [
    6,
    'thoughts, a text, two calls and their outputs',
    { input: [userSays('x'), ...TWO_CALLS], tools: [tool('f')] },
    ['user: x', 'assistant: (hm) I look.', 'tool: A', 'tool: B'],
  ],
  [
    8,
    'an output in two parts',
    {
      input: [
        userSays('x'),
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: ['A', 'B'].map((text) => ({ type: 'input_text', text })) },
      ],
    },
    ['user: x', 'assistant: ', that('"tool: " and both texts', (came: string) => /^tool: A\s*B$/.test(came)) as never],
  ],
];

const conversations: readonly Part[] = CONVERSATIONS.map(([number, sends, body, lines]) => ({
  number,
  promise: `${sends}: one conversation at the engine`,
  breaks: LOST_TURN,
  needs: ['engine'],
  run: async (stage) => {
    (await askResponses(stage, body)).expectStatus(200);
    expectLike('messages of the engine', stage.engine.last.messages?.map(lineOf), lines);
  },
}));

const NULLS = { content: null, status: null, encrypted_content: null, phase: null };
const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IGNORED: Json = {
  ...{ truncation: 'auto', metadata: { a: 'b' }, user: 'u', safety_identifier: 's', service_tier: 'auto', max_tool_calls: 3 },
  ...{ prompt_cache_retention: '24h', client_metadata: { c: 'd' }, context_management: [], foo: 1, text: { verbosity: 'low' } },
  ...{ reasoning: { summary: 'auto' }, include: ['file_search_call.results'] },
};

const items: readonly Part[] = [
  {
    number: 8,
    promise: 'an image in an output to a text model is 400',
    breaks: 'the model answers as if it had seen the image',
    needs: ['text'],
    run: async (stage) => {
      const output = [{ type: 'input_image', image_url: PNG }];
      const called = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
      const input = [userSays('x'), called, { type: 'function_call_output', call_id: 'a', output }];
      (await askResponses(stage, { input }, { at: stage.other('text') })).expectStatus(400);
    },
  },
  {
    number: 9,
    promise: 'an answer that comes back with null in every optional field is taken',
    breaks: 'openai-python sends model_dump() of an answer back in just this form',
    run: async (stage) => {
      const output = outputOf(await askResponses(stage, {}));
      const input = [userSays('x'), ...output.map((item) => ({ ...NULLS, ...item, encrypted_content: null })), userSays('y')];
      (await askResponses(stage, { input })).expectStatus(200);
    },
  },
  {
    number: 10,
    promise: "the target's own encrypted_content reaches the engine as thoughts, foreign content does not",
    breaks: 'the AI SDK and opencode send it back and drop the rest: the model forgets what it thought, or fails on what it cannot read',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(thought('I think.'), piece('yes'), finish('stop')));
      const [reasoning = {}, message] = outputOf(await askResponses(stage, { store: false, include: ['reasoning.encrypted_content'] }));
      expectLike('reasoning item', reasoning, { type: 'reasoning', encrypted_content: TEXT });
      const back = (item: Json): Json => ({ input: [userSays('x'), { ...item, summary: [] }, message, userSays('y')], store: false });
      (await askResponses(stage, back(reasoning))).expectStatus(200);
      expectLike('second message of the engine', lineOf(stage.engine.last.messages?.[1] ?? {}), 'assistant: (I think.) yes');
      (await askResponses(stage, back({ ...reasoning, encrypted_content: 'gAAAAforeign' }))).expectStatus(200);
      expectLike('second message of the engine', lineOf(stage.engine.last.messages?.[1] ?? {}), 'assistant: yes');
    },
  },
  {
    number: 11,
    promise: 'a reference to thoughts is dropped, one to a message that is not kept is 400 item_not_found',
    breaks: 'the AI SDK refers to its earlier turns by default: the model answers without them',
    stateless: true,
    run: async (stage) => {
      const input = (id: string): Json => ({ input: [userSays('x'), { type: 'item_reference', id }] });
      expectRefused(stage, await askResponses(stage, input('msg_1')), { param: 'input[1].id', code: 'item_not_found' });
      (await askResponses(stage, input('rs_1'))).expectStatus(200);
    },
  },
  {
    number: 12,
    promise: 'previous_response_id is 400 previous_response_not_found where nothing is kept',
    breaks: LOST_TURN,
    stateless: true,
    run: async (stage) => {
      const answer = await askResponses(stage, { previous_response_id: 'resp_1' });
      expectRefused(stage, answer, { param: 'previous_response_id', code: 'previous_response_not_found', words: /'input'/ });
    },
  },
  {
    number: 13,
    promise: 'store true, false and null are answered with store: false where nothing is kept',
    breaks: 'clients believe that they can refer to the answer later',
    stateless: true,
    run: async (stage) => {
      for (const store of [true, false, null]) expectLike('response', (await askResponses(stage, { store })).ok, { store: false });
    },
  },
];

const fields: readonly Part[] = [
  {
    number: 1,
    promise: 'a text is answered with one message, completed, and a usage of five fields',
    breaks: 'Codex fails without total_tokens, LiteLLM and the AI SDK without the others',
    run: async (stage) => {
      const { ok } = await askResponses(stage, { input: 'hi' });
      const part = { type: 'output_text', text: TEXT, annotations: [] };
      const counts = { input_tokens: WHOLE, output_tokens: WHOLE, total_tokens: WHOLE };
      expectLike('response', ok, {
        ...{ id: /^resp_/, object: 'response', created_at: WHOLE, model: TEXT, status: 'completed', error: null, incomplete_details: null },
        usage: { ...counts, input_tokens_details: { cached_tokens: WHOLE }, output_tokens_details: { reasoning_tokens: WHOLE } },
      });
      const message = (ok['output'] as Json[]).at(-1);
      expectLike('message', message, { id: TEXT, type: 'message', role: 'assistant', status: 'completed', content: [part] });
    },
  },
  {
    number: 14,
    promise: 'all fields without an effect are answered at once, and the engine gets none of them',
    breaks: 'Codex, the AI SDK and the agents SDKs send many of them unasked and get an error',
    run: async (stage) => {
      (await askResponses(stage, { ...IGNORED, stream: true, stream_options: { include_obfuscation: true } })).expectStatus(200);
      const names = [
        'truncation',
        'metadata',
        'user',
        'safety_identifier',
        'service_tier',
        'max_tool_calls',
        'client_metadata',
        'foo',
        'include',
      ];
      const absent = Object.fromEntries([...names, 'text', 'store', 'input'].map((name) => [name, ABSENT]));
      if (stage.engineCalls !== null) expectLike('request to the engine', stage.engine.last, absent);
    },
  },
  {
    number: 15,
    promise: 'one token ends as incomplete, a limit beyond every context is clamped',
    breaks: 'Codex and the agents SDKs stop at incomplete, and must not see it for a limit that they never meant',
    run: async (stage) => {
      const wanted = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
      expectLike('response', (await askResponses(stage, { max_output_tokens: 1 })).ok, wanted);
      expectLike('response', (await askResponses(stage, { max_output_tokens: 1e9 })).ok, { status: 'completed' });
      const limit = that(`at most ${CONTEXT}`, (came: unknown) => came === undefined || (typeof came === 'number' && came <= CONTEXT));
      if (stage.engineCalls !== null) expectLike('limit at the engine', stage.engine.last.max_tokens, limit);
    },
  },
  {
    number: 16,
    promise: 'without a limit the default limit of the deployment does not apply',
    breaks: 'Codex never sends a limit and dies on incomplete',
    needs: ['limited'],
    run: async (stage) => {
      const at = stage.other('limited');
      const chat = { model: at.model, messages: [userSays('one two three')] };
      const short = (await at.send('/v1/chat/completions', chat)).ok['choices'];
      expectLike('a chat completion there', short, [{ finish_reason: 'length' }]);
      expectLike('response', (await askResponses(stage, {}, { at })).ok, { status: 'completed' });
    },
  },
  {
    number: 17,
    promise: 'a json_schema gives text that parses and validates',
    breaks: 'generateObject of the AI SDK and .parse() of openai throw',
    run: async (stage) => {
      const [message] = outputOf(await askResponses(stage, format({ name: 'x', schema, strict: true }))).slice(-1);
      const [part] = (message?.['content'] ?? []) as { text: string }[];
      expectLike('text', JSON.parse(part?.text ?? ''), { a: WHOLE });
    },
  },
  {
    number: 18,
    promise: 'text {} and no tools with tool_choice auto are answered',
    breaks: 'agents (Python) and Codex send just these',
    run: async (stage) => void (await askResponses(stage, { text: {}, tools: [], tool_choice: 'auto' })).expectStatus(200),
  },
  {
    number: 19,
    promise: 'a schema beside tools that the engine cannot do is 400 [text.format]',
    breaks: 'Codex with --output-schema gets the name of a field that it never sent',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(refuses(400, 'response_format is not supported with tools.', 'response_format'));
      const answer = await askResponses(stage, { tools: [tool('f')], ...format({ name: 'x', schema }) });
      expectLike('error', answer.expectStatus(400).json['error'], { param: 'text.format' });
    },
  },
  {
    number: 20,
    promise: 'a function with strict null and parameters null is taken',
    breaks: 'typed clients send null for what is not set',
    run: async (stage) => {
      (await askResponses(stage, { tools: [{ type: 'function', name: 'f', strict: null, parameters: null }] })).expectStatus(200);
    },
  },
  {
    number: 1,
    promise: 'the answer says what it was asked with',
    breaks: 'clients that show the settings of an answer show others',
    run: async (stage) => {
      const { ok } = await askResponses(stage, { instructions: 'i', metadata: { a: 'b' }, temperature: 0.5, max_output_tokens: 50 });
      const echoed = { instructions: 'i', metadata: { a: 'b' }, temperature: 0.5, max_output_tokens: 50 };
      expectLike('response', ok, { ...echoed, background: false, previous_response_id: NOTHING });
    },
  },
];

/** What is accepted, and what the engine makes of it. */
export const responseRequests: readonly Part[] = [...fields, ...items, ...conversations];
