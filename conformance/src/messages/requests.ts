import type { Part, Stage } from '../case.js';
import { ABSENT, expectLike, expectThat, NOTHING, TEXT, that } from '../check.js';
import { CONTEXT, OVERFLOW, refuses } from '../engine-answers.js';
import { askMessages, assistant, type Body, countTokens, expectError, PNG, result, says, SCHEMA, text, TOOL, use, user } from './parts.js';

const OLD_CLIENT = 'one of the two generations of the Anthropic SDK that are in the field cannot ask at all';
const ENDLESS = 'word '.repeat(1_500_000);

const answered = (number: number, promise: string, breaks: string, ask: (stage: Stage) => ReturnType<typeof askMessages>): Part => ({
  number,
  promise,
  breaks,
  run: async (stage) => expectLike('message', (await ask(stage)).ok, { type: 'message', role: 'assistant' }),
});

/** Headers and paths. */
const doors: readonly Part[] = [
  {
    number: 1,
    promise: 'a bearer key and version 2026-10-21 are answered, with a request-id',
    breaks: OLD_CLIENT,
    run: async (stage) => {
      const answer = await askMessages(stage, {}, { headers: { 'anthropic-version': '2026-10-21' } });
      expectLike('message', answer.ok, { type: 'message', role: 'assistant', content: that('a list', Array.isArray) });
      expectLike('header request-id', answer.headers['request-id'], TEXT);
    },
  },
  answered(2, 'x-api-key, version 2023-06-01, ?beta=true and unknown betas are answered', OLD_CLIENT, (stage) => {
    const { target } = stage;
    const body = { model: target.model, max_tokens: 100, messages: [user('x')] };
    const headers = {
      'x-api-key': target.key,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'unknown-2020-01-01,another-2021-01-01',
    };
    return target.send('/v1/messages?beta=true', body, { key: null, headers });
  }),
  answered(3, 'a request without a version is answered', OLD_CLIENT, (stage) =>
    askMessages(stage, {}, { headers: { 'anthropic-version': undefined } }),
  ),
  {
    number: 4,
    promise: 'one key in both headers is answered, two keys are 400 and both headers are named',
    breaks: 'whoever has set two variables is charged to the wrong key, or is told that a key is wrong and not which',
    run: async (stage) => {
      (await askMessages(stage, {}, { headers: { 'x-api-key': stage.target.key } })).expectStatus(200);
      const answer = await askMessages(stage, {}, { headers: { 'x-api-key': `${stage.target.key}0` } });
      expectError(answer, 400, { type: 'invalid_request_error', message: /x-api-key.*authorization|authorization.*x-api-key/i });
    },
  },
  {
    number: 5,
    promise: 'an unknown key is 401 authentication_error, with x-should-retry: false',
    breaks: 'Claude Code repeats a 401 for more than 35 s',
    run: async (stage) => {
      const answer = await askMessages(stage, {}, { key: 'unknown-key' });
      expectError(answer, 401, { type: 'authentication_error' });
      expectLike('x-should-retry', answer.headers['x-should-retry'], 'false');
    },
  },
  {
    number: 6,
    promise: 'messages and count_tokens answer under the alias as under the slug',
    breaks: 'clients that are configured with the alias get 404',
    needs: ['alias'],
    run: async (stage) => {
      const at = stage.other('alias');
      expectLike('message', (await askMessages(stage, {}, { at })).ok, { type: 'message' });
      const count = (await countTokens(stage, {})).ok['input_tokens'];
      expectLike('count under the alias', (await countTokens(stage, {}, at)).ok, { input_tokens: count });
    },
  },
  {
    number: 7,
    promise: 'a path without /v1 and one with it twice are 404 and name the base URL',
    breaks: 'the AI SDK and Claude Code are configured wrongly in just these two ways, and do not learn it',
    run: async (stage) => {
      for (const path of ['/messages', '/v1/v1/messages']) {
        const answer = await stage.target.send(path, {});
        expectError(answer, 404, { type: 'not_found_error', message: /https?:\/\/\S+\/\S+/ });
      }
    },
  },
  {
    number: 8,
    promise: 'HEAD /api/hello is 404 without a body and without a challenge',
    breaks: 'Claude Code probes it without a key at each start: it counts as an attack on keys',
    run: async (stage) => {
      const answer = (await stage.target.send('/api/hello', '', { method: 'HEAD', key: null })).expectStatus(404);
      expectLike('www-authenticate', answer.headers['www-authenticate'], ABSENT);
    },
  },
];

/** Limits and sizes. */
const limits: readonly Part[] = [
  {
    number: 10,
    promise: 'max_tokens over the room left is clamped',
    breaks: 'Claude Code always asks for 32000 and gets an error from any model with a smaller context',
    run: async (stage) => {
      (await askMessages(stage, { max_tokens: 32_000 })).expectStatus(200);
      const limit = that(`at most ${CONTEXT}`, (came: unknown) => came === undefined || (typeof came === 'number' && came <= CONTEXT));
      if (stage.engineCalls !== null) expectLike('limit at the engine', stage.engine.last.max_tokens, limit);
    },
  },
  {
    number: 11,
    promise: 'a prompt over the context is "prompt is too long: N tokens > M maximum"',
    breaks: 'Claude Code parses these words to begin its compaction; with others the conversation is stuck',
    run: async (stage) => {
      if (stage.engineCalls !== null) stage.engine.play(OVERFLOW);
      const long = stage.engineCalls === null ? { messages: [user(ENDLESS)] } : {};
      for (const stream of [false, true]) {
        const answer = await askMessages(stage, { ...long, stream });
        expectError(answer, 400, { type: 'invalid_request_error', message: /^prompt is too long: \d+ tokens > \d+ maximum/ });
      }
    },
  },
  {
    number: 12,
    promise: 'max_tokens 0 gives no content and max_tokens',
    breaks: 'who warms a prompt cache gets an error or pays for tokens',
    run: async (stage) => {
      const { ok } = await askMessages(stage, { max_tokens: 0 });
      expectLike('message', ok, { content: [], stop_reason: 'max_tokens', usage: { output_tokens: 0 } });
    },
  },
  {
    number: 53,
    promise: 'a body over the limit is 413 request_too_large, invalid JSON is 400',
    breaks: 'the SDK finds no class for it, and Claude Code does not compact',
    run: async (stage) => {
      expectError(await askMessages(stage, '{'), 400, { type: 'invalid_request_error' });
      const messages = [user('x'.repeat(33 * 1024 * 1024))];
      expectError(await askMessages(stage, { messages }, { expectContinue: true }), 413, { type: 'request_too_large' });
    },
  },
];

/** Fields that change what the engine is asked, and fields that do not. */
const fields: readonly Part[] = [
  answered(23, 'adaptive thinking on a plain model is answered', 'Claude Code always sends it', (stage) =>
    askMessages(stage, { thinking: { type: 'adaptive', display: 'omitted' } }),
  ),
  answered(27, 'a tool with type custom, cache_control and $schema is answered', 'the AI SDK and Claude Code send these keys', (stage) => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...TOOL.input_schema };
    return askMessages(stage, {
      tools: [{ ...TOOL, type: 'custom', eager_input_streaming: true, cache_control: { type: 'ephemeral' }, input_schema: schema }],
    });
  }),
  {
    number: 28,
    promise: 'a deferred tool is hidden from the engine until a tool_reference names it',
    breaks: 'the model calls tools that Claude Code has not loaded',
    needs: ['engine'],
    run: async (stage) => {
      const tools = [TOOL, { ...TOOL, name: 'grep', defer_loading: true }];
      const named = says(user('q'), assistant([use('a')]), user([result('a', [{ type: 'tool_reference', tool_name: 'grep' }])]));
      for (const [more, names] of [
        [{}, ['look']],
        [named, ['look', 'grep']],
      ] as const) {
        (await askMessages(stage, { tools, ...more })).expectStatus(200);
        expectLike(
          'tools of the engine',
          stage.engine.last.tools?.map((tool) => tool.function.name),
          names,
        );
      }
    },
  },
  {
    number: 29,
    promise: 'any, tool and none become required, the named function and none',
    breaks: "LangChain's structured output gets prose in place of a call",
    needs: ['engine'],
    run: async (stage) => {
      const choices: readonly (readonly [Body, unknown])[] = [
        [{ type: 'any' }, 'required'],
        [
          { type: 'tool', name: 'look' },
          { type: 'function', function: { name: 'look' } },
        ],
        [{ type: 'none' }, that('"none", or no tools', (came: unknown) => came === 'none' || came === undefined)],
      ];
      for (const [choice, wanted] of choices) {
        (await askMessages(stage, { tools: [TOOL], tool_choice: choice })).expectStatus(200);
        expectLike('tool_choice at the engine', stage.engine.last.tool_choice, wanted);
      }
    },
  },
  {
    number: 48,
    promise: 'an engine that cannot continue an answer is refused by naming messages',
    breaks: 'the model begins anew, and the client joins two beginnings',
    needs: ['text'],
    run: async (stage) => {
      const answer = await askMessages(stage, says(user('q'), assistant('The answer is (')), { at: stage.other('text') });
      expectError(answer, 400, { type: 'invalid_request_error', message: /^messages/ });
    },
  },
  {
    number: 49,
    promise: 'a json_schema gives text that parses and validates',
    breaks: 'parse() of the SDK throws',
    run: async (stage) => {
      const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };
      const { ok } = await askMessages(stage, { output_config: { format: { type: 'json_schema', schema } } });
      const [block] = ok['content'] as { text: string }[];
      expectLike('text', JSON.parse(block?.text ?? ''), { a: that('a whole number', (came: unknown) => Number.isInteger(came)) });
    },
  },
  {
    number: 49,
    promise: 'an engine that cannot make the form is 400 output_config.format',
    breaks: 'the error names a field of another contract, which the client never sent',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(refuses(400, 'response_format is not supported here.', 'response_format'));
      const answer = await askMessages(stage, { output_config: { format: SCHEMA } });
      expectError(answer, 400, { type: 'invalid_request_error', message: /^output_config\.format: / });
    },
  },
  answered(50, 'effort max, clear_thinking, long metadata, tiers and speed are answered', 'Claude Code sends them all', (stage) =>
    askMessages(stage, {
      ...{ output_config: { effort: 'max' }, metadata: { user_id: 'x'.repeat(300) }, service_tier: 'auto', speed: 'fast' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    }),
  ),
  {
    number: 52,
    promise: 'an image to a text model is 400 and names the block',
    breaks: 'the model answers as if it had seen the image',
    needs: ['text'],
    run: async (stage) => {
      const answer = await askMessages(stage, says(user([text('x'), PNG])), { at: stage.other('text') });
      expectError(answer, 400, { type: 'invalid_request_error', message: /^messages\.0\.content\.1: / });
    },
  },
];

const counts: readonly Part[] = [
  {
    number: 51,
    promise: 'count_tokens ignores max_tokens and stream, and answers 25 at once while streams run',
    breaks: 'Claude Code sends 25 within 10 ms for /context, and shows nothing if one fails',
    run: async (stage) => {
      const ends = new AbortController();
      const at = stage.target.until(ends.signal);
      const busy = Promise.allSettled(Array.from({ length: 4 }, () => askMessages(stage, { stream: true }, { at })));
      const several = await Promise.all(Array.from({ length: 25 }, () => countTokens(stage, { max_tokens: 5, stream: true })));
      ends.abort();
      await busy;
      for (const answer of several) expectLike('count', answer.ok, { input_tokens: that('above 0', (came: number) => came > 0) });
      expectThat('no stop_reason in a count', several[0]?.json['stop_reason'] === undefined, several[0]?.json);
    },
  },
  {
    number: 40,
    promise: 'a text block has no key citations',
    breaks: 'the AI SDK rejects the whole answer: "Invalid JSON response"',
    run: async (stage) => {
      const { ok } = await askMessages(stage, {});
      expectLike('content', ok['content'], [{ type: 'text', text: TEXT, citations: ABSENT }]);
      expectLike('message', ok, { stop_sequence: NOTHING });
    },
  },
];

/** What is accepted, and what the engine makes of it. */
export const messageRequests: readonly Part[] = [...doors, ...limits, ...fields, ...counts];
