import type { Answer, Json } from '../answer.js';
import type { Stage } from '../case.js';
import { expectLike, expectThat, TEXT, that } from '../check.js';
import type { SendOptions } from '../target.js';

/** Fields of a request beside its model; what is `undefined` is left out. */
export type Body = Readonly<Record<string, unknown>>;

/** A one-pixel image. */
export const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const user = { role: 'user', content: 'one two' };
export const text = (content: string) => [{ type: 'text', text: content }];
export const tool = (name = 'f') => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } });
export const call = (fields: object = {}) => ({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' }, ...fields });
export const history = (...messages: object[]) => ({ messages: [user, ...messages] });
export const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };
export const jsonSchema = (fields: object) => ({ response_format: { type: 'json_schema', json_schema: fields } });

export function withImage(url: string): Body {
  return {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  };
}

/** Asks for a chat completion; what is `undefined` is left out, and a text goes as it is. */
export const askChat = (stage: Stage, body: Body | string, options?: SendOptions): Promise<Answer> =>
  stage.target.send('/v1/chat/completions', typeof body === 'string' ? body : chatBody(stage.target.model, body), options);

export const chatBody = (model: string, body: Body): Body => ({ model, messages: [user], ...body });

export interface Choice {
  readonly index: number;
  readonly delta: { readonly role?: string; readonly content?: string | null; readonly tool_calls?: readonly CallPiece[] };
  readonly finish_reason: string | null;
  readonly logprobs: { readonly content: readonly { readonly logprob: number }[] } | null;
}
/** A piece of a streamed call. */
export interface CallPiece {
  readonly index: number;
  readonly id?: string;
  readonly type?: string;
  readonly function: { readonly name?: string; readonly arguments?: string };
}

/** All choices of all chunks of a stream. */
export const choicesOf = (answer: Answer): readonly Choice[] =>
  answer.chunks.flatMap((chunk) => (chunk['choices'] ?? []) as readonly Choice[]);

/** The text of one choice of a stream. */
export const textOf = (answer: Answer, index = 0): string =>
  choicesOf(answer)
    .map((choice) => (choice.index === index ? (choice.delta.content ?? '') : ''))
    .join('');

/** The first choice of an answer that is no stream. */
export const choiceOf = (answer: Answer): Json => ((answer.ok['choices'] ?? []) as readonly Json[])[0] ?? {};

/** What of an error the contract names. */
export interface NamedError {
  readonly param: string | null;
  /** Undefined where the contract leaves it open. */
  readonly code?: string | undefined;
}

/** A refusal with 400, in the form of the chat contract, before any engine is asked. @throws Mismatch */
export function expectRefused(stage: Stage, answer: Answer, { param, code }: NamedError): void {
  answer.expectStatus(400);
  const form = { message: TEXT, type: 'invalid_request_error', param, code: code ?? that('text or null', isTextOrNull) };
  expectLike('error', answer.json['error'], form);
  expectLike('content-type', answer.headers['content-type'], /^application\/json/);
  if (stage.engineCalls !== null) expectLike('requests to the engine', stage.engineCalls, 0);
}

const isTextOrNull = (came: unknown): boolean => came === null || typeof came === 'string';

/** A stream that failed: one error, then a broken connection. @throws Mismatch */
export function expectBroken(answer: Answer): void {
  const last = answer.chunks.at(-1) ?? {};
  expectLike('the last frame', Object.keys(last), ['error']);
  expectLike('error', last['error'], { message: TEXT, type: 'server_error' });
  expectThat('one error frame', answer.text.split('"error":{').length === 2, answer.text);
  expectThat('no [DONE] and no finish_reason', !/\[DONE\]|"finish_reason":"/.test(answer.text), answer.text);
  expectThat('a body without its last chunk', !answer.complete, 'a proper end');
}
