import type { Part } from '../case.js';
import { expectLike } from '../check.js';
import { askChat, expectRefused } from './parts.js';

/** Bodies that are no request, as text; `$model` stands for the model's name in quotes. */
export const BROKEN_BODIES: readonly (readonly [what: string, body: string, code: string])[] = [
  ['half a body', '{', 'invalid_json'],
  ['no body', '', 'invalid_json'],
  ['a list', '[]', 'invalid_json'],
  ['a byte order mark', '\ufeff{"model":$model,"messages":[]}', 'invalid_json'],
  ['10,000 levels', `{"model":${'['.repeat(10_000)}`, 'json_too_deep'],
  ['two models', '{"model":"a","model":$model,"messages":[{"role":"user","content":"x"}]}', 'invalid_json'],
  ['two lists of messages', '{"model":$model,"messages":[],"messages":[]}', 'invalid_json'],
  ['two limits of tokens', '{"model":$model,"max_tokens":1,"max_tokens":9,"messages":[]}', 'invalid_json'],
  ['two streams', '{"model":$model,"stream":true,"stream":false,"messages":[]}', 'invalid_json'],
];
/** The types that no request may have. */
export const WRONG_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'];

const BREAKS = 'clients that retry 415 and 422 repeat it six times, or a cut body is answered as if it were whole';
/** Larger than the largest body that a gateway may be set to take. */
const TOO_LARGE_BYTES = 33 * 1024 * 1024;

const isolated: Part = {
  number: 45,
  promise: 'half a character in the prompt is answered or refused, never 500',
  breaks: 'clients repeat a 500 and fail three times',
  run: async (stage) => {
    const body = `{"model":${JSON.stringify(stage.target.model)},"messages":[{"role":"user","content":"\\ud800"}]}`;
    (await askChat(stage, body)).expectStatus(200, 400);
  },
};

/** Bodies as bytes. */
export const chatBodies: readonly Part[] = [
  isolated,
  ...BROKEN_BODIES.map(([what, body]): Part => ({
    number: 46,
    promise: `${what}: 400`,
    breaks: BREAKS,
    run: async (stage) => {
      const answer = await askChat(
        stage,
        body.replace('$model', () => JSON.stringify(stage.target.model)),
      );
      expectRefused(stage, answer, { param: null });
    },
  })),
  {
    number: 46,
    promise: 'of a harmless field given twice the last one counts',
    breaks: BREAKS,
    run: async (stage) => {
      const model = JSON.stringify(stage.target.model);
      const body = `{"model":${model},"temperature":9,"temperature":0.5,"messages":[{"role":"user","content":"x"}]}`;
      (await askChat(stage, body)).expectStatus(200);
    },
  },
  {
    number: 46,
    promise: 'a wrong content type is 400, not 415',
    breaks: BREAKS,
    run: async (stage) => {
      for (const type of WRONG_TYPES) {
        expectRefused(stage, await askChat(stage, {}, { headers: { 'content-type': type } }), { param: null });
      }
    },
  },
  {
    number: 46,
    promise: 'a body over the limit is 413',
    breaks: BREAKS,
    run: async (stage) => {
      const messages = [{ role: 'user', content: 'x'.repeat(TOO_LARGE_BYTES) }];
      const answer = (await askChat(stage, { messages }, { expectContinue: true })).expectStatus(413);
      expectLike('error', answer.json['error'], { type: 'invalid_request_error' });
    },
  },
];
