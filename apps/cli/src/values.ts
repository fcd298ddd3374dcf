import type { z } from 'zod';
import { UsageError } from './cli-errors.js';

/** Word that resets a setting to its default. */
export const DEFAULT = 'default';
/** Word for no limit. */
export const NONE = 'none';
/** Word for a key that does not expire. */
export const NEVER = 'never';

const NULL_WORDS: ReadonlySet<unknown> = new Set([DEFAULT, NONE, NEVER]);
type NullWord = typeof DEFAULT | typeof NONE | typeof NEVER;

/** The value of an option, null for one of the words above: parsers cannot return null, which commander takes for ''. */
export const nullable = <T>(value: T): Exclude<T, NullWord> | null => (NULL_WORDS.has(value) ? null : (value as Exclude<T, NullWord>));

/**
 * Parser of an argument, option or part of one that a schema checks.
 * @param message what is said instead of the schema's own message
 */
export const checkedBy =
  <S extends z.ZodType>(schema: S, message?: (text: string) => string) =>
  (text: string): z.output<S> => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) throw new UsageError(message?.(text) ?? parsed.error.issues[0]?.message ?? `"${text}" is not valid.`);
    return parsed.data;
  };

/** Parser of a setting that is on or off. */
export function onOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new UsageError('It takes "on" or "off".');
  return text === 'on';
}

/** Parser of a whole number that a schema checks. */
export const whole =
  (schema: z.ZodType) =>
  (text: string): number => {
    if (!/^\d{1,15}$/.test(text)) throw new UsageError('It takes a whole number.');
    const number = Number(text);
    const parsed = schema.safeParse(number);
    if (!parsed.success) throw new UsageError(`It is out of range: ${rangeOf(parsed.error)}.`);
    return number;
  };

/** The same, or a word of its own, which is returned as it is. */
export const wholeOr =
  <Word extends string>(word: Word, schema: z.ZodType) =>
  (text: string): number | Word =>
    text === word ? word : whole(schema)(text);

const rangeOf = (error: z.ZodError): string => {
  const [issue] = error.issues;
  if (issue?.code === 'too_small') return `at least ${issue.minimum}`;
  if (issue?.code === 'too_big') return `at most ${issue.maximum}`;
  return issue?.message ?? 'not valid';
};
