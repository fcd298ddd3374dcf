import { isDeepStrictEqual } from 'node:util';
import type { OutputFormat } from '@slipway/contracts';
import { z } from 'zod';
import { parseBody } from '../../http/json-guard.js';
import { compile } from './checker.js';
import { fault, WORDING } from './error-object.js';
import { isAbsent, noted } from './faults.js';
import { jsonSchema } from './fields.js';

const MAX_PATTERN_CHARS = 8 * 1024;
const MAX_GRAMMAR_CHARS = 64 * 1024;
const MAX_OPTIONS = 1024;

const filled = z.string().min(1);
const SCHEMA_OR_TEXT = 'a JSON schema, or its JSON text';
/** A schema or its JSON text, which some clients send. */
export const schemaOrText = noted(
  z.union([
    jsonSchema({}),
    noted(z.string().regex(/^\s*\{/), { code: 'invalid_type', expected: SCHEMA_OR_TEXT }).meta({ description: 'JSON text of a schema.' }),
  ]),
  { expected: SCHEMA_OR_TEXT },
);
/** A regular expression. */
export const pattern = filled.max(MAX_PATTERN_CHARS);
/** A grammar in the engine's syntax. */
export const grammar = filled.max(MAX_GRAMMAR_CHARS);
/** The texts that an answer may be. */
export const options = z.array(filled.max(MAX_PATTERN_CHARS)).min(1).max(MAX_OPTIONS);
/** The form of the answer, as servers with a grammar take it. */
export const structuredOutputs = z
  .object({
    json: schemaOrText.nullish(),
    regex: pattern.nullish(),
    choice: options.nullish(),
    grammar: grammar.nullish(),
    json_object: z.boolean().nullish(),
  })
  .catchall(noted(z.null(), { code: 'unsupported_parameter', says: 'This form is not supported.' }));

const checkSchema = compile(jsonSchema({}));

/** Ignores the name of a schema, and a missing `strict`: neither changes the format. */
export function isSameOutput(one: OutputFormat, other: OutputFormat): boolean {
  if (one.kind !== 'json_schema' || other.kind !== 'json_schema') return isDeepStrictEqual(one, other);
  return isDeepStrictEqual(one.schema, other.schema) && (other.strict === undefined || one.strict === other.strict);
}

/** @throws ServiceError for several forms at once. */
export function structuredOutputOf(given: z.output<typeof structuredOutputs>, param: string): OutputFormat | null {
  const { json, regex, choice, grammar, json_object: isObject } = given;
  const asked = [
    isAbsent(json) ? null : schemaFormat(json, `${param}.json`),
    isAbsent(regex) ? null : patternFormat(regex),
    isAbsent(choice) ? null : choiceFormat(choice),
    isAbsent(grammar) ? null : grammarFormat(grammar),
    isObject === true ? ({ kind: 'json_object' } as const) : null,
  ].filter((output) => output !== null);
  if (asked.length > 1)
    throw fault('invalid_value', param, `'${param}' may hold only one of json, regex, choice, grammar and json_object.`);
  return asked[0] ?? null;
}

/** @param given the schema, or its JSON text: the checks of the body have not seen what is in it, so it gets the same ones. */
export function schemaFormat(given: string | Record<string, unknown>, param: string): OutputFormat {
  if (typeof given !== 'string') return { kind: 'json_schema', schema: given };
  const outcome = parseBody(Buffer.from(given));
  if ('value' in outcome) {
    const wrong = checkSchema(outcome.value);
    if (wrong) throw WORDING.error(wrong, param);
    return { kind: 'json_schema', schema: outcome.value };
  }
  if (outcome.code === 'invalid_json') throw fault('invalid_type', param, `'${param}' must be ${SCHEMA_OR_TEXT}.`);
  throw fault(outcome.code, param, `The JSON text in '${param}' is nested deeper than a request may be, or holds half a surrogate pair.`);
}

export function patternFormat(pattern: string): OutputFormat {
  return { kind: 'regex', pattern };
}

export function grammarFormat(grammar: string): OutputFormat {
  return { kind: 'grammar', grammar };
}

export function choiceFormat(options: string[]): OutputFormat {
  return { kind: 'choice', options };
}
