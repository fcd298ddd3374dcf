import type { ErrorCode } from '@slipway/contracts';
import type { z } from 'zod';
import type { Fault } from './faults.js';

type Schema = z.core.$ZodTypes;
type Bound = (value: never) => ErrorCode | null;

const checksOf = ({ _zod: { def } }: Schema): readonly z.core.$ZodChecks[] => {
  // `z.int()` is a check as well as a schema.
  const own = 'check' in def ? [{ _zod: { def } } as unknown as z.core.$ZodChecks] : [];
  return [...own, ...((def.checks ?? []) as z.core.$ZodChecks[])];
};

/** The bounds of a schema: each returns the code for a value that violates it, or null. */
export function boundsOf(schema: Schema): ((value: unknown) => ErrorCode | null)[] {
  const isList = schema._zod.def.type === 'array';
  return checksOf(schema).flatMap((check) => (boundOf(check, isList) ?? []) as (value: unknown) => ErrorCode | null);
}

function boundOf({ _zod: { def } }: z.core.$ZodChecks, isList: boolean): Bound | null {
  const tooShort = isList ? 'empty_array' : 'missing_required_parameter';
  const tooLong = isList ? 'array_above_max_length' : 'invalid_value';
  switch (def.check) {
    case 'min_length':
      return ({ length }: string) => (length < def.minimum ? tooShort : null);
    case 'max_length':
      return ({ length }: string) => (length > def.maximum ? tooLong : null);
    case 'string_format':
      return (text: string) => (def.pattern?.test(text) === false ? 'invalid_value' : null);
    case 'number_format':
      return (value: number) => (Number.isInteger(value) ? unsafe(value) : 'invalid_type');
    case 'greater_than': {
      const { value: min, inclusive } = def;
      return (value: number) => (value > Number(min) || (inclusive && value === min) ? null : tooSmall(value));
    }
    case 'less_than':
      return (value: number) => (value > Number(def.value) ? 'invalid_value' : null);
    default:
      if (isRule(def)) return null;
      throw new TypeError(`The body of a request cannot be checked for ${def.check}.`);
  }
}

const tooSmall = (value: number): ErrorCode => (Number.isInteger(value) ? 'integer_below_min_value' : 'invalid_value');

function unsafe(value: number): ErrorCode | null {
  if (Number.isSafeInteger(value)) return null;
  return value > 0 ? 'invalid_value' : 'integer_below_min_value';
}

const isRule = (def: object): def is z.core.$ZodCustomDef => 'fn' in def;

/** Rules given by `refine`: `params` may hold the code, and `error` the text. */
export function rulesOf(schema: Schema, expected: string): ((value: unknown) => Fault | null)[] {
  return checksOf(schema).flatMap(({ _zod }) => {
    const def: object = _zod.def;
    if (!isRule(def)) return [];
    const { fn, error, params, path = [] } = def;
    const code = ((params?.['code'] as ErrorCode | undefined) ?? 'invalid_value') satisfies ErrorCode;
    return (value: unknown) => {
      if (fn(value)) return null;
      const words = error?.({ code: 'custom', input: value, path: [], message: '' } as never);
      return { code, path: [...(path as string[])].toReversed(), expected, says: typeof words === 'string' ? words : undefined };
    };
  });
}
