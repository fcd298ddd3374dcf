import type { ErrorCode } from '@slipway/contracts';
import { z } from 'zod';

/** What a bound below says in a zod issue's `params` of a value that breaks it. */
export interface BoundParams {
  readonly code: ErrorCode;
}

const breaks = (code: ErrorCode, expected: string): { error: string; params: BoundParams } => ({ error: expected, params: { code } });

// zod's own bounds look at `length` before the type is sure, and throw on an object whose `length` is a strange one. These do not.

// Their names in JSON schema stand beside them for the OpenAPI document.

/** A string of at most `max` characters. */
export const boundedText = (max: number): z.ZodString =>
  z
    .string()
    .refine((value) => value.length <= max, breaks('invalid_value', `expected string to have <=${max} characters`))
    .meta({ maxLength: max });

/** A list of `min` to `max` entries. */
export function boundedList<T extends z.ZodType>(entry: T, min: number, max: number): z.ZodArray<T> {
  return z
    .array(entry)
    .refine((value) => value.length >= min, breaks('empty_array', `expected array to have >=${min} items`))
    .refine((value) => value.length <= max, breaks('array_above_max_length', `expected array to have <=${max} items`))
    .meta({ ...(min > 0 && { minItems: min }), maxItems: max });
}
