import type { Answer, Json } from '../answer.js';
import type { Stage } from '../case.js';
import { expectRefused as expectChatRefusal } from '../chat/parts.js';
import { expectLike, expectThat, TEXT } from '../check.js';
import type { SendOptions, Target } from '../target.js';

export type { Json } from '../answer.js';

export interface AskOptions extends SendOptions {
  /** Another deployment than the target. */
  readonly at?: Target;
}

/** Asks for a response; what is `undefined` is left out. */
export const askResponses = (stage: Stage, body: Json, { at = stage.target, ...options }: AskOptions = {}): Promise<Answer> =>
  at.send('/v1/responses', { model: at.model, input: 'one two three', ...body }, options);

export const tool = (name: string, rest: object = {}): Json => ({
  ...{ type: 'function', name, description: 'Looks.', parameters: { type: 'object', properties: {} }, strict: null },
  ...rest,
});
export const userSays = (content: unknown): Json => ({ role: 'user', content });
export const format = (fields: object): Json => ({ text: { format: { type: 'json_schema', ...fields } } });
export const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };

/** The items of an answer with 200. */
export const outputOf = (answer: Answer): readonly Json[] => (answer.ok['output'] ?? []) as readonly Json[];

/** What of a refusal the contract names. */
export interface NamedRefusal {
  readonly param: string | null;
  readonly code?: string | undefined;
  readonly words?: RegExp | undefined;
}

/** A refusal with 400 before any engine is asked. @throws Mismatch */
export function expectRefused(stage: Stage, answer: Answer, { words = /./, ...named }: NamedRefusal): void {
  expectChatRefusal(stage, answer, named);
  expectLike('error', answer.json['error'], { message: words });
}

/** A stream that failed: one error, flat and nested, then a broken connection. @throws Mismatch */
export function expectBroken(answer: Answer, code?: string): void {
  expectLike('the name of the last event', answer.expectStatus(200).events.at(-1)?.name, 'error');
  const last = answer.chunks.at(-1) as { code: string; message: string };
  const error = { message: last.message, code: last.code };
  expectLike('the last event', last, { type: 'error', message: TEXT, code: code ?? TEXT, param: null, error: { type: TEXT, ...error } });
  expectThat('one error event', answer.events.filter(({ name }) => name === 'error').length === 1, answer.text);
  expectThat(
    'no end of the response',
    !/response\.(completed|incomplete|failed)|output_item\.done|\[DONE\]/.test(answer.text),
    answer.text,
  );
  expectThat('a body without its last chunk', !answer.complete, 'a proper end');
}
