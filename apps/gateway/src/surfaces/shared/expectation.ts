import type { z } from 'zod';
import { noteOf } from './faults.js';

type Schema = z.core.$ZodTypes;

/** `a, b or c` */
export const listed = (words: readonly string[]): string => {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
};

/** The values of an enum or a literal, with those that stand for its absence. */
export function wordsOf(schema: z.core.$ZodType | undefined): readonly unknown[] {
  const def = (schema as Schema | undefined)?._zod.def;
  if (def?.type === 'enum') return Object.values(def.entries);
  if (def?.type === 'literal') return def.values;
  if (def?.type === 'optional') return [...wordsOf(def.innerType), undefined];
  if (def?.type === 'nullable') return [...wordsOf(def.innerType), null];
  throw new TypeError(`A schema of the type ${def?.type} lists no words.`);
}

/** What a value must be by its schema, as the end of a sentence: `a number from 0 to 2`. */
export function expectationOf(schema: z.core.$ZodType): string {
  const { expected } = noteOf(schema);
  if (expected !== undefined) return expected;
  const { def } = (schema as Schema)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return expectationOf(def.innerType);
    case 'enum':
    case 'literal':
      return listed(wordsOf(schema).map(String));
    case 'string':
      return `a string${sizeOf(schema, 'characters')}`;
    case 'number':
      return `${'check' in def ? 'an integer' : 'a number'}${rangeOf(schema)}`;
    case 'array':
      return `an array${sizeOf(schema, pluralOf(def.element)) || entriesOf(def.element)}`;
    case 'union':
      return 'discriminator' in def ? 'an object' : listed(def.options.map(expectationOf));
    case 'boolean':
      return 'a boolean';
    case 'null':
      return 'null';
    default:
      return 'an object';
  }
}

const PLURALS: Readonly<Record<string, string>> = { string: 'strings', number: 'numbers', object: 'objects' };

const pluralOf = (schema: z.core.$ZodType): string => PLURALS[(schema as Schema)._zod.def.type] ?? 'entries';

const entriesOf = (schema: z.core.$ZodType): string => (pluralOf(schema) === 'entries' ? '' : ` of ${pluralOf(schema)}`);

interface Limits {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
}

function limitsOf(schema: z.core.$ZodType): Limits {
  const checks = ((schema as Schema)._zod.def.checks ?? []) as z.core.$ZodChecks[];
  return Object.assign({}, ...checks.map(({ _zod: { def } }) => limitOf(def))) as Limits;
}

function limitOf(def: z.core.$ZodChecks['_zod']['def']): Limits {
  switch (def.check) {
    case 'min_length':
      return { min: def.minimum };
    case 'max_length':
      return { max: def.maximum };
    case 'greater_than':
      return def.inclusive ? { min: Number(def.value) } : { above: Number(def.value) };
    case 'less_than':
      return { max: Number(def.value) };
    default:
      return {};
  }
}

function sizeOf(schema: z.core.$ZodType, units: string): string {
  const { min = 0, max } = limitsOf(schema);
  if (max === undefined) return min > 0 ? ` of at least ${min} ${units}` : '';
  return min > 0 ? ` of ${min} to ${max} ${units}` : ` of at most ${max} ${units}`;
}

function rangeOf(schema: z.core.$ZodType): string {
  const { min, max, above } = limitsOf(schema);
  if (above !== undefined) return ` above ${above}${max === undefined ? '' : ` and of at most ${max}`}`;
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}
