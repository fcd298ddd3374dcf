import { z } from 'zod';
import { type FaultNote, isAbsent, noted } from './faults.js';

/** Largest count that engines hold: they use signed integers of 32 bits. */
export const MAX_INT32 = 2 ** 31 - 1;

/** Characters of a JSON schema: a larger one takes an engine longer to compile than a request may wait. */
const MAX_SCHEMA_CHARS = 256 * 1024;

/** Levels of sampling that both contracts know by the same names. The messages contract ends at temperature 1; open models go above it. */
export const temperature = z.number().min(0).max(2);
export const topP = z.number().min(0).max(1);

/** A deployment's name. Anything that cannot be one counts as no name. */
export const modelName = noted(z.string().min(1), { code: 'missing_required_parameter', expected: 'the name of a deployment' });

/** What both contracts allow in a tool's name, and dots, which MCP servers put there. */
export const toolName = noted(z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/), {
  expected: '1 to 128 letters, digits, dots, dashes and underscores',
});

/** A JSON schema of a request. @param shape members of it that are checked. */
export const jsonSchema = <S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S, z.core.$loose> =>
  noted(
    z.looseObject(shape).refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, {
      error: `must be at most ${MAX_SCHEMA_CHARS} characters of JSON`,
    }),
    { expected: 'an object' },
  );

/** Text, where nothing else is taken; other text has the code of an unknown word. */
export const keyword = <const W extends readonly [string, ...string[]]>(
  words: W,
  note: FaultNote = {},
): z.ZodEnum<{ [K in W[number]]: K }> => noted(z.enum(words), { mistyped: 'invalid_type', ...note });

/** A field that is described and not checked, because nothing is done with it. */
export const unchecked = (type: 'string' | 'object'): z.ZodOptional<z.ZodUnknown> =>
  z
    .unknown()
    .meta({ type: [type, 'null'] })
    .optional();

/** Null, undefined, and an object or array with nothing in it. */
export const isEmpty = (value: unknown): boolean => isAbsent(value) || (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * A field that would change the answer and is not offered: it is refused, never ignored.
 * @param isHarmless values that ask for nothing; default: none.
 */
export const notOffered = (
  isHarmless: (value: unknown) => boolean = () => false,
  note: FaultNote = {},
): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> =>
  noted(z.unknown().refine(isHarmless, { params: { code: 'unsupported_parameter' } }), {
    says: 'is not supported; send the request without it',
    hidden: true,
    ...note,
  }).nullish();

/** The same, where an empty list or object asks for nothing. */
export const notOfferedUnlessEmpty = (): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> => notOffered(isEmpty);

/** The same, where one of these values asks for nothing. */
export const notOfferedUnless = (...harmless: readonly unknown[]): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> =>
  notOffered((value) => harmless.includes(value));

/** The first of some named things that has the name of an earlier one; -1 = there is none. */
export function firstRepeated(list: readonly { readonly name: string }[]): number {
  const names = new Set<string>();
  return list.findIndex(({ name }) => names.size === names.add(name).size);
}
