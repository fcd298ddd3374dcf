import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type { Part, Stage } from '../case.js';
import { expectLike, TEXT, that } from '../check.js';
import { anthropicFor, raisedBy } from '../clients.js';
import { breaksOff, call, dies, diesAtOnce, finish, obedientAnswer, piece, refuses, says, whole } from '../engine-answers.js';
import { endsWithKey, leftWithClient, type StreamForm } from '../endings.js';
import { askMessages, expectBroken, expectError, user } from './parts.js';

const HALF_TAKEN = 'the SDK and LangChain end silently with half an answer, and Claude Code shows it as whole';
const SILENT_BEFORE = 'messages case 45: silence before';
const SILENT_WITHIN = 'messages case 45: silence within';
const RETRY_AFTER = /^([1-9]|[12]\d|30)$/;

const bodyOf = (stage: Stage) => ({ model: stage.target.model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'x' }] });

const STREAM: StreamForm = { ask: (stage, options) => askMessages(stage, { stream: true }, options), begun: 'text_delta' };

const failures: readonly Part[] = [
  {
    number: 41,
    promise: 'an engine that dies in mid-stream gives event: error and a broken connection',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(dies);
      expectBroken(await askMessages(stage, { stream: true }), 'api_error');
    },
  },
  {
    number: 41,
    promise: 'the Anthropic SDK raises APIError with type api_error',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(dies);
      const raised = await raisedBy(() => anthropicFor(stage.target).messages.stream(bodyOf(stage)).finalMessage());
      expectLike('what the SDK raises', raised, { type: 'api_error', message: TEXT });
    },
  },
  {
    number: 42,
    promise: 'an engine that dies before its first token gives 500 or 529, not 200',
    breaks: 'after a 200 no client retries',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(diesAtOnce);
      for (const stream of [true, false]) {
        const answer = (await askMessages(stage, { stream })).expectStatus(500, 529);
        expectLike('body', answer.json, { type: 'error', error: { message: TEXT } });
      }
    },
  },
  {
    number: 43,
    promise: 'an engine that ends without a finish_reason gives an error event and no message_stop',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(breaksOff(piece('half ')));
      expectBroken(await askMessages(stage, { stream: true }), 'api_error');
    },
  },
  endsWithKey(44, STREAM, { code: 'authentication_error', expectBroken }),
  leftWithClient(54, STREAM),
];

const silence: readonly Part[] = [
  {
    number: 45,
    promise: '18 s without a first token give a ping, then the message',
    breaks: 'proxies cut the connection, and Node gives up after 300 s without a byte',
    needs: ['engine'],
    limitMs: 60_000,
    run: async (stage) => {
      stage.engine.playFor(SILENT_BEFORE, { steps: [{ pauseMs: 18_000 }, ...says('late').steps] });
      const { chunks } = await askMessages(stage, { messages: [user(SILENT_BEFORE)], stream: true });
      expectLike('the first event', chunks[0], { type: 'ping' });
      expectLike('the last event', chunks.at(-1), { type: 'message_stop' });
    },
  },
  {
    number: 45,
    promise: '20 s without a token in the middle give a ping',
    breaks: 'proxies cut the connection',
    needs: ['engine'],
    limitMs: 60_000,
    run: async (stage) => {
      const late = whole(piece('a '), { pauseMs: 20_000 }, piece('b'), finish('stop'));
      stage.engine.playFor(SILENT_WITHIN, late);
      const { chunks } = await askMessages(stage, { messages: [user(SILENT_WITHIN)], stream: true });
      const types = chunks.map(({ type }) => String(type)).join(' ');
      expectLike('events', types, /content_block_delta( ping)+ content_block_delta.* message_stop$/);
    },
  },
];

const refusals: readonly Part[] = [
  {
    number: 46,
    promise: 'a stopped deployment is 409 deployment_stopped, and the SDK sends one request',
    breaks: 'with 400 Claude Code fires six variants, with 503 every client repeats it',
    needs: ['stopped'],
    run: async (stage) => {
      const at = stage.other('stopped');
      const answer = await askMessages(stage, {}, { at });
      expectError(answer, 409, { type: 'invalid_request_error', details: { error_code: 'deployment_stopped' } });
      expectLike('x-should-retry', answer.headers['x-should-retry'], 'false');
      let requests = 0;
      const body = { model: at.model, max_tokens: 5, messages: [{ role: 'user' as const, content: 'x' }] };
      await raisedBy(() => anthropicFor(at, () => (requests += 1)).messages.create(body));
      expectLike('requests by the SDK', requests, 1);
    },
  },
  {
    number: 47,
    promise: 'no capacity is 529 overloaded_error with retry-after, and the SDK succeeds once there is some',
    breaks: 'clients give up at once, or repeat without a pause',
    needs: ['engine'],
    run: async (stage) => {
      const full = refuses(503, 'The queue is full.');
      stage.engine.play(full);
      const answer = await askMessages(stage, {});
      expectError(answer, 529, { type: 'overloaded_error' });
      expectLike('retry-after', answer.headers['retry-after'], RETRY_AFTER);
      let requests = 0;
      stage.engine.play((request) => (requests < 2 ? full : obedientAnswer(request)));
      const message = await anthropicFor(stage.target, () => (requests += 1)).messages.create(bodyOf(stage));
      expectLike('message of the SDK', message, { type: 'message', stop_reason: 'end_turn' });
      expectLike('requests by the SDK', requests, 2);
    },
  },
];

const CITY = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] as const };

const clients: readonly Part[] = [
  {
    number: 25,
    promise: "the SDK's toolRunner finishes a run of two turns",
    breaks: 'the runner sends the second turn without its history, and the model answers without it',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(({ messages = [] }) =>
        messages.at(-1)?.['role'] === 'tool'
          ? says('It is fine.')
          : whole(...call({ name: 'look', pieces: ['{"city":"Paris"}'] }), finish('tool_calls')),
      );
      const asked: string[] = [];
      const run = ({ city }: { city: string }): string => {
        asked.push(city);
        return 'sun';
      };
      const tool = betaTool({ name: 'look', description: 'Looks.', inputSchema: CITY, run });
      const final = await anthropicFor(stage.target).beta.messages.toolRunner({ ...bodyOf(stage), tools: [tool] });
      expectLike('what the tool was asked', asked, ['Paris']);
      expectLike('the last message', final.content, [{ type: 'text', text: 'It is fine.' }]);
      expectLike(
        'roles at the engine',
        stage.engine.last.messages?.map(({ role }) => role),
        ['user', 'assistant', 'tool'],
      );
    },
  },
  {
    number: 55,
    promise: 'the Anthropic SDK gets a plain, a streamed and a tool turn without an error',
    breaks: 'the SDK does not work at all',
    run: async (stage) => {
      const client = anthropicFor(stage.target);
      expectLike('plain', await client.messages.create(bodyOf(stage)), { type: 'message', content: that('a list', Array.isArray) });
      const streamed = await client.messages.stream(bodyOf(stage)).finalMessage();
      expectLike('streamed', streamed, { type: 'message', usage: { output_tokens: that('above 0', (came: number) => came > 0) } });
      const tools = [{ name: 'look', description: 'Looks up the weather of a city.', input_schema: CITY as never }];
      const called = await client.messages.create({ ...bodyOf(stage), tools, tool_choice: { type: 'any' } });
      expectLike('tool turn', called.content.at(-1), { type: 'tool_use', name: 'look', input: { city: TEXT } });
    },
  },
];

/** How answers end that cannot be finished, refusals for now, and the SDK. */
export const messageEndings: readonly Part[] = [...failures, ...silence, ...refusals, ...clients];
