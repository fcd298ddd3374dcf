import type { Part } from '../case.js';
import { ABSENT, expectLike, expectThat, oneOf, TEXT, that, WHOLE } from '../check.js';
import { finish, piece, whole } from '../engine-answers.js';
import { askChat, type Choice, choiceOf, choicesOf, textOf } from './parts.js';

const finishes = (choices: readonly Choice[]): (string | null)[] =>
  choices.map(({ finish_reason: reason }) => reason).filter((reason) => reason !== null);

/** What a stream is made of. */
export const chatStreams: readonly Part[] = [
  {
    number: 27,
    promise: 'n 2 streamed has one role and one finish for each choice, one usage and one [DONE]',
    breaks: 'openai raises "missing role", LangChain loses usage and calls, or joins the finishes to "stopstop"',
    run: async (stage) => {
      const answer = await askChat(stage, { n: 2, stream: true, stream_options: { include_usage: true } });
      if (answer.status === 400) return expectLike('error', answer.json['error'], { param: 'n' });
      const choices = choicesOf(answer);
      for (const index of [0, 1]) {
        const own = choices.filter((choice) => choice.index === index);
        expectLike(`roles of choice ${index}`, own.filter(({ delta }) => delta.role !== undefined).length, 1);
        expectLike(`finishes of choice ${index}`, finishes(own), [TEXT]);
      }
      expectLike('chunks with a usage', answer.chunks.filter(({ usage }) => typeof usage === 'object' && usage !== null).length, 1);
      return expectLike('[DONE]', answer.events.filter(({ text }) => text === '[DONE]').length, 1);
    },
  },
  {
    number: 29,
    promise: 'include_usage gives a last chunk without choices; without it there is no usage',
    breaks: 'LangChain has no token counts, and counts nothing against its budget',
    run: async (stage) => {
      const counted = await askChat(stage, { stream: true, stream_options: { include_usage: true } });
      expectLike('the last chunk', counted.chunks.at(-1), { choices: [], usage: { prompt_tokens: WHOLE, completion_tokens: WHOLE } });
      const plain = await askChat(stage, { stream: true });
      for (const chunk of plain.chunks) expectLike('a chunk', chunk, { usage: ABSENT });
      expectThat('data: [DONE] and a blank line at the end', plain.text.endsWith('data: [DONE]\n\n'), plain.text.slice(-60));
    },
  },
  {
    number: 41,
    promise: 'logprobs of a stream have one finite entry for each token',
    breaks: '-Infinity becomes null in JSON, and clients that add it up get NaN or throw',
    run: async (stage) => {
      const body = { logprobs: true, top_logprobs: 2, stream: true, stream_options: { include_usage: true } };
      const answer = await askChat(stage, body);
      if (answer.status === 400) return expectLike('error', answer.json['error'], { param: 'logprobs' });
      const entries = choicesOf(answer).flatMap(({ logprobs }) => logprobs?.content ?? []);
      for (const entry of entries) expectLike('an entry', entry, { token: that('text', isText), logprob: that('a number', isFinite) });
      // The token that ends an answer has no text and may have no entry.
      const counts = oneOf(entries.length, entries.length + 1);
      return expectLike('usage', answer.chunks.at(-1)?.['usage'], { completion_tokens: counts });
    },
  },
  {
    number: 44,
    promise: 'a character that the engine sends in halves arrives whole',
    breaks: 'Python clients keep lone surrogates and fail when they print or store the text',
    needs: ['engine'],
    run: async (stage) => {
      stage.engine.play(whole(...['hi ', '\ud83d', '\udc4b', '!'].map(piece), finish('stop')));
      const answer = await askChat(stage, { stream: true });
      expectThat('no half of a character in any chunk', !/\\u[dD][89a-fA-F]|\ufffd/.test(answer.text), answer.text);
      expectLike('text', textOf(answer), 'hi 👋!');
      expectLike('choice', choiceOf(await askChat(stage, {})), { message: { content: 'hi 👋!' } });
    },
  },
  {
    number: 55,
    promise: 'accept: application/json with stream true is answered as a stream',
    breaks: 'openai always sends this header, and finds a silent empty stream in a JSON body',
    run: async (stage) => {
      const answer = await askChat(stage, { stream: true }, { headers: { accept: 'application/json' } });
      expectThat('a stream of chunks', answer.chunks.length > 1, answer.text);
    },
  },
];

const isText = (came: unknown): boolean => typeof came === 'string';
const isFinite = (came: unknown): boolean => Number.isFinite(came);
