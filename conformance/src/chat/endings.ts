import type { Part, Stage } from '../case.js';
import { expectLike, expectThat, TEXT } from '../check.js';
import { openaiFor, raisedBy } from '../clients.js';
import { breaksOff, dies, diesAtOnce, finish, piece, refuses, says, whole } from '../engine-answers.js';
import { leftWithClient } from '../endings.js';
import { askChat, expectBroken } from './parts.js';

const HALF_TAKEN = 'openai and LangChain take half an answer for the whole one; the AI SDK ends textStream without an error';
const RETRY_AFTER = /^([1-9]|[12]\d|30)$/;
const SILENT = 'chat case 50: silence';

async function readBySdk(stage: Stage): Promise<void> {
  const stream = await openaiFor(stage.target).chat.completions.create({
    model: stage.target.model,
    messages: [{ role: 'user', content: 'x' }],
    stream: true,
  });
  for await (const chunk of stream) expectLike('a chunk', chunk.object, 'chat.completion.chunk');
}

/** How answers end that cannot be finished, and what is no answer. */
export const chatEndings: readonly Part[] = [
  {
    number: 47,
    promise: 'an engine that fails before its first token gives a 5xx with JSON, streamed or not',
    breaks: 'after a 200 no client retries: openai raises inside the stream, LangChain ends without a text',
    needs: ['engine'],
    run: async (stage) => {
      for (const script of [diesAtOnce, refuses(500, 'It broke.')]) {
        stage.engine.play(script);
        for (const stream of [true, false]) {
          const answer = await askChat(stage, { stream });
          expectThat('a 5xx', answer.status >= 500, answer.status);
          expectLike('error', answer.json['error'], { message: TEXT, type: 'server_error' });
        }
      }
    },
  },
  {
    number: 48,
    promise: 'an engine that dies in mid-stream gives one error frame and a broken connection',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(dies);
      expectBroken(await askChat(stage, { stream: true }));
    },
  },
  {
    number: 48,
    promise: 'the openai SDK raises when the engine dies in mid-stream',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(dies);
      expectLike('what openai raises', await raisedBy(() => readBySdk(stage)), { name: TEXT, message: TEXT });
    },
  },
  {
    number: 49,
    promise: 'an engine that ends without a finish_reason fails: an error frame, or 502',
    breaks: HALF_TAKEN,
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(breaksOff(piece('half ')));
      expectBroken(await askChat(stage, { stream: true }));
      (await askChat(stage, {})).expectStatus(502);
    },
  },
  {
    number: 50,
    promise: '25 s of silence are filled with comments, and the answer comes',
    breaks: "proxies cut the connection after some idle time; Node's fetch gives up after 300 s",
    needs: ['engine'],
    limitMs: 60_000,
    run: async (stage) => {
      stage.engine.playFor(SILENT, { steps: [{ pauseMs: 25_000 }, ...says('late').steps] });
      const answer = await askChat(stage, { messages: [{ role: 'user', content: SILENT }], stream: true });
      expectThat('comments before the first chunk', /^:[^\n]*\n\n(?::[^\n]*\n\n)*data: \{/.test(answer.text), answer.text.slice(0, 80));
      expectThat('a whole answer', answer.text.includes('late') && answer.text.endsWith('data: [DONE]\n\n'), answer.text);
    },
  },
  leftWithClient(51, { ask: (stage, options) => askChat(stage, { stream: true }, options), begun: '"one ' }),
  {
    number: 52,
    promise: '429 and 503 carry retry-after, from 1 to 30 seconds',
    breaks: 'LangChain gives up at once on a 429 without it, and values over 60 are ignored',
    needs: ['engine'],
    run: async (stage) => {
      for (const status of [429, 503]) {
        stage.engine.play(refuses(status, 'The queue is full.'));
        const answer = (await askChat(stage, { stream: true })).expectStatus(429, 503);
        expectLike('retry-after', answer.headers['retry-after'], RETRY_AFTER);
      }
    },
  },
  {
    number: 53,
    promise: 'a stopped deployment costs openai one request and says that it is stopped',
    breaks: 'openai and LangChain repeat it three to seven times, for up to a minute',
    needs: ['stopped'],
    run: async (stage) => {
      const stopped = stage.other('stopped');
      const body = { model: stopped.model, messages: [{ role: 'user', content: 'x' }] };
      const answer = (await stopped.send('/v1/chat/completions', body)).expectStatus(409);
      expectLike('x-should-retry', answer.headers['x-should-retry'], 'false');
      expectLike('error', answer.json['error'], { code: 'deployment_stopped' });
      let requests = 0;
      const client = openaiFor(stopped, () => (requests += 1));
      await raisedBy(() => client.chat.completions.create({ model: stopped.model, messages: [{ role: 'user', content: 'x' }] }));
      expectLike('requests by openai', requests, 1);
    },
  },
  {
    number: 54,
    promise: 'GET is 405 with allow: POST, and a wrong path is answered without a redirect',
    breaks: 'clients follow a redirect without their body or their key',
    run: async (stage) => {
      const get = (await stage.target.send('/v1/chat/completions', '', { method: 'GET' })).expectStatus(405);
      expectLike('allow', get.headers['allow'], /\bPOST\b/);
      for (const path of ['/v1/chat/completions/', '/v1//chat/completions']) {
        const answer = await stage.target.send(path, {});
        expectThat(`a status of 4xx for ${path}`, answer.status >= 400 && answer.status < 500, answer.status);
        expectLike('error', answer.json['error'], { message: TEXT });
      }
    },
  },
  {
    number: 48,
    promise: 'a good answer ends with a finish, [DONE] and a proper end of the body',
    breaks: 'openai 6 and the AI SDK raise although the answer is whole',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(piece('yes'), finish('stop')));
      const answer = await askChat(stage, { stream: true });
      expectThat('a proper end', answer.complete && answer.text.endsWith('data: [DONE]\n\n'), answer.text.slice(-80));
    },
  },
];
