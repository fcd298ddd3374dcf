import type { Part, Stage } from '../case.js';
import { ABSENT, expectLike, expectThat, Mismatch, shown, TEXT, that } from '../check.js';
import { call as engineCall, finish, whole } from '../engine-answers.js';
import { askChat, type Body, type CallPiece, choiceOf, choicesOf, jsonSchema, schema, tool } from './parts.js';

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const WEATHER = { type: 'function', function: { name: 'get_weather', description: 'The weather of a city.', parameters: CITY } };
const FORCED: Body = {
  messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
  tools: [WEATHER],
  tool_choice: 'required',
};
const LOST_CALL = 'LangChain reports an invalid call, openai throws in its helper, and the AI SDK drops the call';

interface Call {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly arguments: string;
}

/** The calls of a stream, put together as clients do it. */
async function streamedCalls(stage: Stage, body: Body): Promise<readonly Call[]> {
  const answer = await askChat(stage, { ...body, stream: true });
  const calls: Call[] = [];
  for (const piece of choicesOf(answer).flatMap(({ delta }) => delta.tool_calls ?? [])) {
    expectThat('call indexes from 0 without gaps', piece.index <= calls.length, piece.index);
    calls[piece.index] = joined(calls[piece.index], piece);
  }
  expectLike('finish', choicesOf(answer).at(-1)?.finish_reason, 'tool_calls');
  return calls;
}

function joined(begun: Call | undefined, { id, type, function: { name, arguments: more = '' } }: CallPiece): Call {
  if (!begun) return { id: id ?? '', type: type ?? '', name: name ?? '', arguments: more };
  if (id !== undefined || name !== undefined) throw new Mismatch('id and name once', shown({ id, name }));
  return { ...begun, arguments: begun.arguments + more };
}

const parses = that('a JSON object', (came: string) => {
  const value: unknown = JSON.parse(came);
  return typeof value === 'object' && value !== null;
});

/** Tools, and answers in a form. */
export const toolsAndForms: readonly Part[] = [
  {
    number: 31,
    promise: 'auto and none without tools are answered',
    breaks: 'frameworks that always send a choice get an error',
    run: async (stage) => {
      for (const choice of ['auto', 'none']) (await askChat(stage, { tool_choice: choice })).expectStatus(200);
    },
  },
  {
    number: 33,
    promise: 'an empty list of tools is the same as none',
    breaks: 'vLLM refuses it: agents without tools get an error',
    run: async (stage) => {
      (await askChat(stage, { tools: [] })).expectStatus(200);
      if (stage.engineCalls !== null) expectLike('request to the engine', stage.engine.last, { tools: ABSENT });
    },
  },
  {
    number: 36,
    promise: 'a streamed call has id, type and name once, and arguments that join to JSON',
    breaks: LOST_CALL,
    run: async (stage) => {
      const calls = await streamedCalls(stage, FORCED);
      expectLike('calls', calls, [{ id: TEXT, type: 'function', name: 'get_weather', arguments: parses }]);
    },
  },
  {
    number: 36,
    promise: 'a call without arguments gives {}',
    breaks: 'the AI SDK reports an invalid call, openai hands "" to JSON.parse',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...engineCall({ name: 'f', pieces: [] }), finish('tool_calls')));
      expectLike('calls', await streamedCalls(stage, { tools: [tool()] }), [{ name: 'f', arguments: '{}' }]);
      const answer = await askChat(stage, { tools: [tool()] });
      expectLike('choice', choiceOf(answer), { message: { content: null, tool_calls: [{ function: { arguments: '{}' } }] } });
    },
  },
  {
    number: 37,
    promise: 'parallel_tool_calls false gives one call, whatever the engine does',
    breaks: 'agents that run one tool at a time run two',
    needs: ['engine'],
    run: async (stage) => {
      const two = [0, 1].flatMap((index) => engineCall({ index, name: 'f', pieces: ['{}'] }));
      stage.engine.play(whole(...two, finish('tool_calls')));
      const answer = await askChat(stage, { tools: [tool()], parallel_tool_calls: false });
      expectLike('choice', choiceOf(answer), { message: { tool_calls: [{ function: { name: 'f' } }] } });
    },
  },
  {
    number: 39,
    promise: 'an answer in a strict schema parses and validates; one that is cut ends with length',
    breaks: '.parse() of openai throws a SyntaxError in place of a LengthFinishReasonError',
    run: async (stage) => {
      const format = jsonSchema({ name: 'x', schema, strict: true });
      const { content } = choiceOf(await askChat(stage, format))['message'] as { content: string };
      expectLike('content', JSON.parse(content), { a: that('a whole number', (came: unknown) => Number.isInteger(came)) });
      expectLike('choice of a cut answer', choiceOf(await askChat(stage, { ...format, max_tokens: 1 })), { finish_reason: 'length' });
    },
  },
];
