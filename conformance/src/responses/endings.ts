import type { Part, Stage } from '../case.js';
import { expectLike, expectThat, TEXT } from '../check.js';
import { openaiFor, raisedBy } from '../clients.js';
import { breaksOff, dies, diesAtOnce, OVERFLOW, piece, refuses, says } from '../engine-answers.js';
import { endsWithKey, leftWithClient, type StreamForm } from '../endings.js';
import { askResponses, expectBroken } from './parts.js';

const HALF_TAKEN = 'openai, LangChain and the AI SDK take half an answer for the whole one';
const SILENT = 'responses case 42: silence';
const ENDLESS = 'word '.repeat(1_500_000);

async function readBySdk(stage: Stage): Promise<void> {
  const stream = await openaiFor(stage.target).responses.create({ model: stage.target.model, input: 'x', stream: true });
  for await (const event of stream) expectThat('an event with a type', event.type !== undefined, event);
}

const STREAM: StreamForm = { ask: (stage, options) => askResponses(stage, { stream: true }, options), begun: 'output_text.delta' };

const failures: readonly Part[] = [
  {
    number: 39,
    promise: 'an engine that dies gives one error, flat and nested, and a broken connection',
    breaks: `${HALF_TAKEN}; with the flat form alone openai-python and openai 6 do, too`,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(dies);
      expectBroken(await askResponses(stage, { stream: true }));
    },
  },
  {
    number: 39,
    promise: 'the openai SDK raises with the words of the error',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(dies);
      expectLike('what openai raises', await raisedBy(() => readBySdk(stage)), { message: TEXT, code: TEXT });
    },
  },
  {
    number: 40,
    promise: 'an engine that dies before its first delta is 502 or 503',
    breaks: 'after a 200 no client repeats the request',
    needs: ['engine'],
    run: async (stage) => {
      for (const script of [diesAtOnce, refuses(500, 'It broke.')]) {
        stage.engine.play(script);
        for (const stream of [true, false]) {
          const answer = (await askResponses(stage, { stream })).expectStatus(502, 503);
          expectLike('error', answer.json['error'], { message: TEXT });
        }
      }
    },
  },
  {
    number: 41,
    promise: 'an engine that ends without a finish_reason fails in the same way; not streamed it is 502',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(breaksOff(piece('half ')));
      expectBroken(await askResponses(stage, { stream: true }));
      (await askResponses(stage, {})).expectStatus(502);
    },
  },
  {
    number: 42,
    promise: '40 s of silence begin with created at 15 s, and go on with keepalives',
    breaks: 'Codex counts comments as silence and gives up; openai throws for anything before created',
    needs: ['engine'],
    limitMs: 90_000,
    run: async (stage) => {
      stage.engine.playFor(SILENT, { steps: [{ pauseMs: 40_000 }, ...says('late').steps] });
      let seen = Number.NaN;
      const began = performance.now();
      const onText = { text: 'response.in_progress', call: () => (seen = performance.now() - began) };
      const { chunks } = await askResponses(stage, { input: SILENT, stream: true }, { onText });
      expectThat('created within 20 s', seen <= 20_000, seen);
      expectLike(
        'the first events',
        chunks.slice(0, 3).map(({ type }) => type),
        ['response.created', 'response.in_progress', 'keepalive'],
      );
      expectLike('the last event', chunks.at(-1)?.['type'], 'response.completed');
    },
  },
  endsWithKey(43, STREAM, { code: 'invalid_api_key', expectBroken }),
  leftWithClient(50, STREAM),
];

const refusals: readonly Part[] = [
  {
    number: 44,
    promise: 'a stopped deployment is 400 deployment_stopped, and openai sends one request',
    breaks: 'with 409 Codex makes six attempts in 7 s, the AI SDK three',
    needs: ['stopped'],
    run: async (stage) => {
      const at = stage.other('stopped');
      const answer = (await askResponses(stage, {}, { at })).expectStatus(400);
      expectLike('error', answer.json['error'], { code: 'deployment_stopped' });
      expectLike('x-should-retry', answer.headers['x-should-retry'], 'false');
      let requests = 0;
      await raisedBy(() => openaiFor(at, () => (requests += 1)).responses.create({ model: at.model, input: 'x' }));
      expectLike('requests by openai', requests, 1);
    },
  },
  {
    number: 45,
    promise: 'a prompt over the context is 400 with "maximum context length" and "prompt is too long"',
    breaks: 'LangChain, pydantic-ai, LiteLLM and Codex know it by code and words: they do not shorten the history',
    run: async (stage) => {
      if (stage.engineCalls !== null) stage.engine.play(OVERFLOW);
      const long = stage.engineCalls === null ? { input: ENDLESS } : {};
      for (const stream of [false, true]) {
        const answer = (await askResponses(stage, { ...long, stream })).expectStatus(400);
        const words = /maximum context length is \d+ tokens.*prompt is too long/;
        expectLike('error', answer.json['error'], { code: 'context_length_exceeded', message: words });
      }
    },
  },
  {
    number: 46,
    promise: 'the handshake of a WebSocket is 426',
    breaks: '404 and 405 cost Codex seven attempts, 400 ends it',
    run: async (stage) => {
      const handshake = {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      };
      (await stage.target.send('/v1/responses', '', { method: 'GET', headers: handshake })).expectStatus(426);
    },
  },
  {
    number: 47,
    promise: 'GET is 405, and the paths of kept answers and of compaction are 404 with words',
    breaks: 'clients that ask for a kept answer are not told that there is none',
    run: async (stage) => {
      (await stage.target.send('/v1/responses', '', { method: 'GET' })).expectStatus(405);
      for (const [method, path] of [
        ['GET', '/v1/responses/resp_1'],
        ['POST', '/v1/responses/compact'],
      ] as const) {
        const answer = (await stage.target.send(path, method === 'GET' ? '' : {}, { method })).expectStatus(404);
        expectLike('error', answer.json['error'], { message: TEXT });
      }
    },
  },
];

/** How responses end that cannot be finished, and what is no response. */
export const responseEndings: readonly Part[] = [...failures, ...refusals];
