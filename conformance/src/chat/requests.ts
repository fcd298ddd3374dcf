import type { Part } from '../case.js';
import { ABSENT, expectLike, expectThat, NOTHING, oneOf, TEXT, that, WHOLE } from '../check.js';
import { CONTEXT, OVERFLOW, says } from '../engine-answers.js';
import { askChat, call, chatBody, choiceOf, expectRefused, history, PNG, text, textOf, withImage } from './parts.js';

const WRONG = 'the model answers another question than the one that was asked, and no client notices';
const PARSED = 'openai, LangChain or the AI SDK fail to parse a good answer';
const LIMITS = 'an answer ends too early, or a client pays for tokens that it forbade';

/** More words than the context of any model. */
const ENDLESS = 'word '.repeat(1_500_000);

/** Fields and messages that must be accepted, and what the engine makes of them. */
export const acceptedChats: readonly Part[] = [
  {
    number: 1,
    promise: 'a minimal request is answered with the fields that all clients parse',
    breaks: PARSED,
    run: async (stage) => {
      const { ok } = await askChat(stage, {});
      const message = { role: 'assistant', content: TEXT, refusal: NOTHING };
      expectLike('answer', ok, {
        ...{ id: TEXT, object: 'chat.completion', created: WHOLE, model: TEXT },
        choices: [{ index: 0, message, logprobs: null, finish_reason: oneOf('stop', 'length') }],
        usage: { prompt_tokens: WHOLE, completion_tokens: WHOLE, total_tokens: WHOLE },
      });
    },
  },
  {
    number: 6,
    promise: 'a user who says "" is answered',
    breaks: 'frameworks that send an empty turn get an error',
    run: async (stage) => void (await askChat(stage, { messages: [{ role: 'user', content: '' }] })).expectStatus(200),
  },
  {
    number: 8,
    promise: 'text in two parts counts as the joined text',
    breaks: WRONG,
    run: async (stage) => {
      const parts = await askChat(stage, { messages: [{ role: 'user', content: [...text('one '), ...text('two')] }] });
      const joined = await askChat(stage, { messages: [{ role: 'user', content: 'one two' }] });
      const tokens = (joined.ok['usage'] as { prompt_tokens: number }).prompt_tokens;
      expectLike('usage', parts.ok['usage'], { prompt_tokens: tokens });
    },
  },
  {
    number: 8,
    promise: 'text in two parts reaches the engine joined, in order',
    breaks: 'Ollama makes a message of each part, SGLang refuses some',
    needs: ['engine'],
    run: async (stage) => {
      (await askChat(stage, { messages: [{ role: 'user', content: [...text('one '), ...text('two')] }] })).expectStatus(200);
      expectLike('messages of the engine', stage.engine.last.messages, [{ role: 'user', content: 'one two' }]);
    },
  },
  {
    number: 9,
    promise: 'an image to a text model is refused with 400 [messages[0].content[1].image_url]',
    breaks: 'the model answers as if it had seen the image',
    needs: ['text'],
    run: async (stage) => {
      const text = stage.other('text');
      const answer = await text.send('/v1/chat/completions', chatBody(text.model, withImage(PNG)));
      expectRefused(stage, answer, { param: 'messages[0].content[1].image_url' });
    },
  },
  {
    number: 10,
    promise: 'an assistant with calls and null, then the result, is answered',
    breaks: 'no tool loop of any client gets past its first call',
    run: async (stage) => {
      const turn = { role: 'assistant', content: null, tool_calls: [call()] };
      const answer = await askChat(stage, history(turn, { role: 'tool', tool_call_id: 'call_1', content: 'three' }));
      answer.expectStatus(200);
    },
  },
  {
    number: 13,
    promise: 'the role developer is answered',
    breaks: 'ChatOpenAI and the AI SDK send it for o-models and get an error',
    run: async (stage) => {
      const messages = [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'x' },
      ];
      (await askChat(stage, { messages })).expectStatus(200);
      if (stage.engineCalls !== null) expectLike('first role at the engine', stage.engine.last.messages?.[0]?.['role'], 'system');
    },
  },
  {
    number: 14,
    promise: 'unknown fields change nothing, and max_tokens stays the limit',
    breaks: 'llama-server takes n_predict for its limit: an answer without end',
    run: async (stage) => {
      const { ok } = await askChat(stage, { foo: 1, n_predict: -1, max_tokens: 5 });
      expectLike('usage', ok['usage'], { completion_tokens: that('at most 5', (came: number) => came <= 5) });
      if (stage.engineCalls !== null) expectLike('request to the engine', stage.engine.last, { foo: ABSENT, n_predict: ABSENT });
    },
  },
  {
    number: 15,
    promise: 'null for every optional field is the same as its absence',
    breaks: 'clients of typed languages send null for what is not set, and get an error',
    run: async (stage) => {
      const names = ['temperature', 'top_p', 'n', 'stop', 'seed', 'tools', 'stream', 'stream_options'];
      (await askChat(stage, Object.fromEntries(names.map((name) => [name, null])))).expectStatus(200);
      const absent = ['temperature', 'top_p', 'n', 'stop', 'seed', 'tools'].map((name) => [name, ABSENT]);
      if (stage.engineCalls !== null) expectLike('request to the engine', stage.engine.last, Object.fromEntries(absent));
    },
  },
  {
    number: 19,
    promise: 'max_tokens 1 ends with length after one token',
    breaks: LIMITS,
    run: async (stage) => {
      const answer = await askChat(stage, { max_tokens: 1 });
      expectLike('choice', choiceOf(answer), { finish_reason: 'length' });
      expectLike('usage', answer.ok['usage'], { completion_tokens: 1 });
    },
  },
  {
    number: 20,
    promise: 'of two limits max_completion_tokens wins',
    breaks: LIMITS,
    run: async (stage) => {
      const { ok } = await askChat(stage, { max_tokens: 3, max_completion_tokens: 1 });
      expectLike('usage', ok['usage'], { completion_tokens: 1 });
    },
  },
  {
    number: 21,
    promise: 'a limit beyond every context is clamped or refused',
    breaks: 'vLLM refuses it in its own words; others fall back to a default that cuts the answer',
    run: async (stage) => {
      for (const limit of ['1e15', '99999999999999999999']) {
        const body = `{"model":${JSON.stringify(stage.target.model)},"max_tokens":${limit},"messages":[{"role":"user","content":"x"}]}`;
        (await askChat(stage, body)).expectStatus(200, 400);
      }
      for (const { max_tokens: asked = 0 } of stage.engineCalls === null ? [] : stage.engine.requests) {
        expectThat('a limit within the context at the engine', asked <= CONTEXT, asked);
      }
    },
  },
  {
    number: 22,
    promise: 'a prompt over the context is 400 [messages] context_length_exceeded, streamed or not',
    breaks: 'LangChain looks for the code to shorten the history, and raises something else',
    run: async (stage) => {
      const long = stage.engineCalls === null ? { messages: [{ role: 'user', content: ENDLESS }] } : {};
      if (stage.engineCalls !== null) stage.engine.play(OVERFLOW);
      for (const stream of [false, true]) {
        const answer = (await askChat(stage, { ...long, stream })).expectStatus(400);
        expectLike('error', answer.json['error'], { param: 'messages', code: 'context_length_exceeded' });
      }
    },
  },
  {
    number: 23,
    promise: 'every form of stop is taken, and the stop is not in the text',
    breaks: 'agents parse text beyond the point where they asked to stop',
    run: async (stage) => {
      for (const stop of [null, [], 'weather', ['weather', 'e']]) {
        const answer = await askChat(stage, { stop });
        const { content } = choiceOf(answer)['message'] as { content: string };
        for (const word of [stop ?? []].flat()) expectThat(`no "${word}" in the text`, !content.includes(word), content);
        if (stop === 'weather' && stage.engineCalls !== null) {
          expectLike('choice', choiceOf(answer), { message: { content: 'The ' }, finish_reason: 'stop' });
        }
      }
    },
  },
  {
    number: 23,
    promise: 'a stop that is split over tokens never leaks',
    breaks: 'agents parse half a stop word as text',
    needs: ['engine', 'text'],
    run: async (stage) => {
      const text = stage.other('text');
      stage.engine.play(says('The wea', 'ther is', ' fine.'));
      const answer = await text.send('/v1/chat/completions', chatBody(text.model, { stop: 'weather', stream: true }));
      expectLike('text', textOf(answer), 'The ');
      expectThat('finish_reason stop', answer.text.includes('"finish_reason":"stop"'), answer.text);
    },
  },
  {
    number: 25,
    promise: 'a seed of 64 bits is taken',
    breaks: 'clients that seed by time in nanoseconds get an error',
    run: async (stage) => {
      const body = `{"model":${JSON.stringify(stage.target.model)},"seed":9223372036854775807,"messages":[{"role":"user","content":"x"}]}`;
      (await askChat(stage, body)).expectStatus(200);
      for (let i = 0; i < 2; i += 1) (await askChat(stage, { seed: 7 })).expectStatus(200);
      if (stage.engineCalls !== null)
        expectLike(
          'seeds at the engine',
          stage.engine.requests.slice(1).map(({ seed }) => seed),
          [7, 7],
        );
    },
  },
  {
    number: 26,
    promise: 'n 2 gives choices 0 and 1 and counts the prompt once, or is refused by name',
    breaks: 'openai gets one choice where two were asked for, without a word',
    run: async (stage) => {
      const one = await askChat(stage, {});
      const answer = await askChat(stage, { n: 2 });
      if (answer.status === 400) return expectLike('error', answer.json['error'], { param: 'n' });
      const tokens = (one.ok['usage'] as { prompt_tokens: number }).prompt_tokens;
      return expectLike('answer', answer.ok, { choices: [{ index: 0 }, { index: 1 }], usage: { prompt_tokens: tokens } });
    },
  },
];
