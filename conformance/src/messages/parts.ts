import type { Answer } from '../answer.js';
import type { Stage } from '../case.js';
import { expectLike, expectThat, TEXT, that } from '../check.js';
import type { SendOptions, Target } from '../target.js';

/** Fields of a request; what is `undefined` is left out. */
export type Body = Readonly<Record<string, unknown>>;

export const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw==' } };
export const TOOL = { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { q: { type: 'string' } } } };
export const SCHEMA = { type: 'json_schema', schema: { type: 'object' } };
export const text = (value: string) => ({ type: 'text', text: value });
export const user = (content: unknown) => ({ role: 'user', content });
export const assistant = (content: unknown) => ({ role: 'assistant', content });
export const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: { q: id } });
export const result = (id: string, content?: unknown, rest: object = {}) => ({ type: 'tool_result', tool_use_id: id, content, ...rest });
export const says = (...messages: object[]): Body => ({ messages });
export const called = (...content: object[]): Body => says(user('q'), assistant([use('a'), use('b')]), user(content));

const HEADERS = { 'anthropic-version': '2023-06-01' };

export interface AskOptions extends SendOptions {
  /** Another deployment than the target. */
  readonly at?: Target;
}

/** Asks for a message; what is `undefined` is left out, and a text goes as it is. */
export function askMessages(stage: Stage, body: Body | string, { at = stage.target, ...options }: AskOptions = {}): Promise<Answer> {
  const headers = { ...HEADERS, ...options.headers };
  const sent = typeof body === 'string' ? body : { model: at.model, max_tokens: 100, messages: [user('one two')], ...body };
  return at.send('/v1/messages', sent, { ...options, headers });
}

/** Asks how many tokens a request has. */
export const countTokens = (stage: Stage, body: Body, at = stage.target): Promise<Answer> =>
  at.send('/v1/messages/count_tokens', { model: at.model, messages: [user('one two')], ...body }, { headers: HEADERS });

/** An error in the form of the messages contract. @throws Mismatch */
export function expectError(answer: Answer, status: number, error: { type: string; message?: unknown; details?: object }): void {
  answer.expectStatus(status);
  expectLike('body', answer.json, { type: 'error', error: { message: TEXT, ...error }, request_id: TEXT });
  expectLike('header request-id', answer.headers['request-id'], answer.json['request_id']);
}

/** A refusal with 400 whose message begins with a path, before any engine is asked. @throws Mismatch */
export function expectRefused(stage: Stage, answer: Answer, message: string): void {
  const begins = that(`text that begins with "${message}"`, (came: unknown) => typeof came === 'string' && came.startsWith(message));
  expectError(answer, 400, { type: 'invalid_request_error', message: begins });
  if (stage.engineCalls !== null) expectLike('requests to the engine', stage.engineCalls, 0);
}

/** A stream that failed: one error event, then a broken connection. @throws Mismatch */
export function expectBroken(answer: Answer, type: string): void {
  expectLike('the name of the last event', answer.expectStatus(200).events.at(-1)?.name, 'error');
  expectLike('the last event', answer.chunks.at(-1), { type: 'error', error: { type, message: TEXT } });
  expectThat('no message_stop and no stop_reason', !/message_stop|"stop_reason":"/.test(answer.text), answer.text);
  expectThat('a body without its last chunk', !answer.complete, 'a proper end');
}
