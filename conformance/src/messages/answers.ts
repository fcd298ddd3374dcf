import { chatChunk } from '@slipway/testing';
import type { Part, Stage } from '../case.js';
import { expectLike, expectThat, TEXT, that } from '../check.js';
import { call, finish, piece, type PlayedCall, says, thought, whole } from '../engine-answers.js';
import { askMessages, assistant, type Body, countTokens, expectBroken, expectError, says as conversation, TOOL, user } from './parts.js';

const TOOLS: Body = { tools: [TOOL] };
const CALL: PlayedCall = { name: 'look', pieces: ['{"q":', '"x"}'] };
const BROKEN_CALL = 'LangChain repairs the arguments and calls the tool with them; the SDK keeps a valid prefix or throws';

const deltasOf = (chunks: readonly Body[], type: string): readonly Body[] =>
  chunks.map(({ delta }) => delta as Body | undefined).filter((delta): delta is Body => delta?.['type'] === type);

const toolParts: readonly Part[] = [
  {
    number: 30,
    promise: 'disable_parallel_tool_use leaves one tool_use of two calls',
    breaks: 'agents that run one tool at a time are answered with a call that nobody runs',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...call(CALL), ...call({ ...CALL, index: 1 }), finish('tool_calls')));
      const { ok } = await askMessages(stage, { ...TOOLS, tool_choice: { type: 'auto', disable_parallel_tool_use: true } });
      expectLike('content', ok['content'], [{ type: 'tool_use', name: 'look', input: { q: 'x' } }]);
    },
  },
  {
    number: 31,
    promise: 'a call without arguments has input {} and, streamed, one empty delta',
    breaks: 'the AI SDK reports an invalid call',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...call({ name: 'look', pieces: [] }), finish('tool_calls')));
      expectLike('content', (await askMessages(stage, TOOLS)).ok['content'], [{ type: 'tool_use', input: {} }]);
      const { chunks } = await askMessages(stage, { ...TOOLS, stream: true });
      const joined = deltasOf(chunks, 'input_json_delta').map(({ partial_json: json }) => json);
      expectLike('deltas', joined, [that('"" or "{}"', (came: unknown) => came === '' || came === '{}')]);
    },
  },
  {
    number: 32,
    promise: 'name and arguments in one chunk become a start with input {} and deltas with everything',
    breaks: 'LangChain loses arguments that stand in the start, the AI SDK doubles them',
    needs: ['engine'],
    run: async (stage) => {
      const called = { index: 0, id: 'call_0', type: 'function', function: { name: 'look', arguments: '{"q":"x"}' } };
      stage.engine.play(whole(chatChunk({ tool_calls: [called] }), finish('tool_calls')));
      const { chunks } = await askMessages(stage, { ...TOOLS, stream: true });
      const started = chunks.find(({ type }) => type === 'content_block_start');
      expectLike('start', started, { content_block: { type: 'tool_use', id: TEXT, name: 'look', input: that('{}', isEmpty) } });
      const joined = deltasOf(chunks, 'input_json_delta').map(({ partial_json: json }) => json);
      expectLike('input', joined.join(''), '{"q":"x"}');
    },
  },
  {
    number: 33,
    promise: 'a finish "stop" after a call is stop_reason tool_use',
    breaks: 'agents take the turn for finished and never run the tool',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...call(CALL), finish('stop')));
      expectLike('message', (await askMessages(stage, TOOLS)).ok, { stop_reason: 'tool_use', content: [{ input: { q: 'x' } }] });
    },
  },
  {
    number: 34,
    promise: 'broken arguments are an error event, or 500 api_error',
    breaks: BROKEN_CALL,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...call({ name: 'look', pieces: ['{"q":'] }), finish('tool_calls')));
      expectBroken(await askMessages(stage, { ...TOOLS, stream: true }), 'api_error');
      expectError(await askMessages(stage, TOOLS), 500, { type: 'api_error' });
    },
  },
];

const isEmpty = (came: object): boolean => typeof came === 'object' && came !== null && Object.keys(came).length === 0;

const reasons: readonly Part[] = [
  {
    number: 35,
    promise: 'a stop sequence ends the text before it and is named',
    breaks: 'agents that parse the text up to the sequence find it in the text, or do not learn which one it was',
    needs: ['engine'],
    run: async (stage) => {
      const { ok } = await askMessages(stage, { stop_sequences: ['weather'] });
      expectLike('message', ok, { content: [{ text: 'The ' }], stop_reason: 'stop_sequence', stop_sequence: 'weather' });
    },
  },
  {
    number: 35,
    promise: 'a stop sequence that is split over two chunks never leaks',
    breaks: 'half of the sequence is in the text',
    needs: ['engine', 'text'],
    run: async (stage) => {
      stage.engine.play(says('one EN', 'D two'));
      const { ok } = await askMessages(stage, { stop_sequences: ['END'] }, { at: stage.other('text') });
      expectLike('message', ok, { content: [{ text: 'one ' }], stop_reason: 'stop_sequence', stop_sequence: 'END' });
    },
  },
  {
    number: 36,
    promise: 'each of five stop sequences works',
    breaks: 'the fifth one is ignored without a word',
    needs: ['engine'],
    run: async (stage) => {
      for (let i = 0; i < 5; i += 1) {
        const sequences = Array.from({ length: 5 }, (_, nth) => (nth === i ? 'weather' : `no${nth}`));
        const { ok } = await askMessages(stage, { stop_sequences: sequences });
        expectLike('message', ok, { stop_reason: 'stop_sequence', stop_sequence: 'weather' });
      }
    },
  },
  {
    number: 37,
    promise: 'length, a full context and a filter have stop reasons of their own',
    breaks: 'Claude Code compacts only on model_context_window_exceeded, and shows a refusal as an answer',
    needs: ['engine'],
    run: async (stage) => {
      const reasonOf = async (engine: string, fields: Body): Promise<unknown> => {
        stage.engine.play(whole(piece('a '), piece('b'), finish(engine)));
        return (await askMessages(stage, fields)).ok['stop_reason'];
      };
      expectLike('reason of a length', await reasonOf('length', { max_tokens: 2 }), 'max_tokens');
      expectLike('reason of a full context', await reasonOf('length', { max_tokens: 32_000 }), 'model_context_window_exceeded');
      expectLike('reason of a filter', await reasonOf('content_filter', {}), 'refusal');
    },
  },
  {
    number: 48,
    promise: 'a continued answer holds the new text alone',
    breaks: 'the client joins the beginning twice',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(says('42)'));
      const { ok } = await askMessages(stage, conversation(user('q'), assistant('The answer is (')));
      expectLike('content', ok['content'], [{ type: 'text', text: '42)' }]);
    },
  },
];

const thoughts: readonly Part[] = [
  {
    number: 23,
    promise: 'adaptive thinking on a plain model gives no thinking block',
    breaks: 'the AI SDK fails on a thinking block without a signature',
    needs: ['engine'],
    run: async (stage) => {
      const { ok } = await askMessages(stage, { thinking: { type: 'adaptive', display: 'omitted' } });
      expectLike('content', ok['content'], [{ type: 'text' }]);
    },
  },
  {
    number: 24,
    promise: 'thoughts are block 0 with a signature, the text is block 1',
    breaks: 'thoughts are shown as the answer, or the AI SDK rejects the block',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(thought('I '), thought('think.'), piece('yes'), finish('stop')));
      const asked = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 };
      const isText = that('text', (came: unknown) => typeof came === 'string');
      const wanted = [
        { type: 'thinking', thinking: 'I think.', signature: isText },
        { type: 'text', text: 'yes' },
      ];
      expectLike('content', (await askMessages(stage, asked)).ok['content'], wanted);
      const { chunks } = await askMessages(stage, { ...asked, stream: true });
      const starts = chunks.filter(({ type }) => type === 'content_block_start');
      expectLike('blocks', starts, [
        { index: 0, content_block: { type: 'thinking' } },
        { index: 1, content_block: { type: 'text' } },
      ]);
      expectThat('a signature_delta', deltasOf(chunks, 'signature_delta').length === 1, chunks);
    },
  },
];

async function expectStream(stage: Stage): Promise<void> {
  const answer = await askMessages(stage, { stream: true });
  const chunks = answer.chunks.filter(({ type }) => type !== 'ping');
  for (const { name, text: data } of answer.events) expectLike('event', JSON.parse(data), { type: name });
  const shape = chunks.map(({ type }) => String(type)).filter((type, i, all) => type !== 'content_block_delta' || all[i - 1] !== type);
  expectLike('order of events', shape.join(' '), ORDER);
  const started = { id: TEXT, type: 'message', role: 'assistant', model: TEXT, content: [], stop_reason: null, stop_sequence: null };
  expectLike('message_start', chunks[0], { message: { ...started, usage: { input_tokens: NUMBER, output_tokens: NUMBER } } });
  let index = 0;
  for (const event of chunks.filter(({ type }) => String(type).startsWith('content_block'))) {
    expectLike('block', event, { index });
    if (event['type'] === 'content_block_stop') index += 1;
  }
  expectLike('message_delta', chunks.at(-2), { delta: { stop_reason: TEXT }, usage: { output_tokens: NUMBER } });
  expectThat('no [DONE]', !answer.text.includes('[DONE]'), answer.text);
  expectThat('a proper end', answer.complete, 'a broken connection');
}

const ORDER = /^message_start( content_block_start( content_block_delta)? content_block_stop)* message_delta message_stop$/;
const NUMBER = that('a number', (came: unknown) => typeof came === 'number');

const streams: readonly Part[] = [
  {
    number: 38,
    promise: 'a stream has the exact events in order, one message_delta and no [DONE]',
    breaks: 'the SDK drops events without a name, loses text at index 1, and throws without a usage',
    run: expectStream,
  },
  {
    number: 38,
    promise: 'thoughts, text and calls have blocks 0 to 2',
    breaks: 'the SDK throws for a delta without its block',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(thought('hm'), piece('I look.'), ...call(CALL), finish('tool_calls')));
      const { chunks } = await askMessages(stage, { ...TOOLS, thinking: { type: 'adaptive' }, max_tokens: 2048, stream: true });
      expectLike(
        'blocks',
        chunks.filter(({ type }) => type === 'content_block_start'),
        [
          { index: 0, content_block: { type: 'thinking', thinking: '' } },
          { index: 1, content_block: { type: 'text', text: '' } },
          { index: 2, content_block: { type: 'tool_use', name: 'look', input: that('{}', isEmpty) } },
        ],
      );
    },
  },
  {
    number: 39,
    promise: 'message_start has the tokens that count_tokens counts, and output_tokens 0',
    breaks: 'LangChain adds output_tokens of both events, and takes the prompt from the first one alone',
    run: async (stage) => {
      const counted = (await countTokens(stage, { system: 's', ...TOOLS })).ok['input_tokens'];
      const { chunks } = await askMessages(stage, { system: 's', ...TOOLS, stream: true });
      const { usage = {} } = (chunks[0]?.['message'] ?? {}) as { usage?: { input_tokens?: number; cache_read_input_tokens?: number } };
      expectLike('prompt tokens', (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0), counted);
      expectLike('usage at the start', usage, { output_tokens: 0 });
    },
  },
];

/** What answers are made of. */
export const messageAnswers: readonly Part[] = [...toolParts, ...reasons, ...thoughts, ...streams];
