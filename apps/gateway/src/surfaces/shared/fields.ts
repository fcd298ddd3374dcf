import { z } from 'zod';
import { type FaultNote, isAbsent, noted } from './faults.js';

/** Largest count of engines, which use signed 32-bit integers. */
export const MAX_INT32 = 2 ** 31 - 1;

/** Most characters of a JSON schema; engines compile larger ones too slowly. */
const MAX_SCHEMA_CHARS = 256 * 1024;

/** Sampling fields of both contracts. The messages contract ends at temperature 1; open models go above it. */
export const temperature = z.number().min(0).max(2);
export const topP = z.number().min(0).max(1);

/** The name of a deployment. A value of another type counts as absent. */
export const modelName = noted(z.string().min(1), { code: 'missing_required_parameter', expected: 'the name of a deployment' });

/** A tool's name as in both contracts, and with dots, which MCP servers use. */
export const toolName = noted(z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/), {
  expected: '1 to 128 letters, digits, dots, dashes and underscores',
});

/** A JSON schema in a request. @param shape its members that are checked. */
export const jsonSchema = <S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S, z.core.$loose> =>
  noted(
    z.looseObject(shape).refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA_CHARS, {
      error: `must be at most ${MAX_SCHEMA_CHARS} characters of JSON`,
    }),
    { expected: 'an object' },
  );

/** An enum; a value of another type gets `invalid_type`. */
export const keyword = <const W extends readonly [string, ...string[]]>(
  words: W,
  note: FaultNote = {},
): z.ZodEnum<{ [K in W[number]]: K }> => noted(z.enum(words), { mistyped: 'invalid_type', ...note });

/** A field that is documented but not checked, because it has no effect. */
export const unchecked = (type: 'string' | 'object'): z.ZodOptional<z.ZodUnknown> =>
  z
    .unknown()
    .meta({ type: [type, 'null'] })
    .optional();

/** True for null, undefined, and an empty object or array. */
export const isEmpty = (value: unknown): boolean => isAbsent(value) || (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * A field that would change the answer and is not supported: it is rejected, never ignored.
 * @param isHarmless accepts values without an effect; default: none.
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

/** The same; an empty list or object is accepted. */
export const notOfferedUnlessEmpty = (): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> => notOffered(isEmpty);

/** The same; these values are accepted. */
export const notOfferedUnless = (...harmless: readonly unknown[]): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> =>
  notOffered((value) => harmless.includes(value));

/** Index of the first entry with the name of an earlier one; -1 = none. */
export function firstRepeated(list: readonly { readonly name: string }[]): number {
  const names = new Set<string>();
  return list.findIndex(({ name }) => names.size === names.add(name).size);
}
