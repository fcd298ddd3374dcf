import { isDeepStrictEqual } from 'node:util';
import type { OutputFormat } from '@slipway/contracts';
import type { z } from 'zod';
import { parseBody } from '../../http/json-guard.js';
import { compile } from '../shared/checker.js';
import { isAbsent, type Present } from '../shared/faults.js';
import { jsonSchema } from '../shared/fields.js';
import { fault, WORDING } from './errors.js';
import { type ChatForms, SCHEMA_OR_TEXT } from './schema.js';

type Forms = Present<z.output<typeof ChatForms>>;

const checkSchema = compile(jsonSchema({}));

/** The requested output format, and the field that requests it. */
export interface OutputForm {
  readonly param: string;
  readonly output: OutputFormat;
}

/** The format that each field requests; null = none. */
const FORMS: { readonly [F in keyof Forms]-?: (value: NonNullable<Forms[F]>, param: string) => OutputFormat | null } = {
  response_format: responseFormatOf,
  structured_outputs: structuredOutputOf,
  guided_json: schemaFormat,
  guided_regex: patternFormat,
  guided_choice: choiceFormat,
  guided_grammar: grammarFormat,
  json_schema: schemaFormat,
  regex: patternFormat,
  ebnf: grammarFormat,
  grammar: grammarFormat,
};

/**
 * The output format of a request; null = free text. Two fields may request the same format.
 * @throws ServiceError naming the second field where the formats differ.
 */
export function outputOf(forms: Forms): OutputForm | null {
  let form: OutputForm | null = null;
  for (const [param, formatOf] of Object.entries(FORMS) as [keyof Forms, (value: unknown, param: string) => OutputFormat | null][]) {
    const output = isAbsent(forms[param]) ? null : formatOf(forms[param], param);
    if (output && form && !isSame(form.output, output)) {
      throw fault('invalid_value', param, `'${param}' cannot be combined with '${form.param}'.`);
    }
    // Only the first field may carry a name.
    if (output) form ??= { param, output };
  }
  return form;
}

/** Ignores the name of a schema, and a missing `strict`: neither changes the format. */
function isSame(one: OutputFormat, other: OutputFormat): boolean {
  if (one.kind !== 'json_schema' || other.kind !== 'json_schema') return isDeepStrictEqual(one, other);
  return isDeepStrictEqual(one.schema, other.schema) && (other.strict === undefined || one.strict === other.strict);
}

function responseFormatOf(format: NonNullable<Forms['response_format']>, param: string): OutputFormat | null {
  if (format.type === 'text') return null;
  // Requests written for llama.cpp may have a schema beside this type.
  if (format.type === 'json_object')
    return isAbsent(format.schema) ? { kind: 'json_object' } : schemaFormat(format.schema, `${param}.schema`);
  const { name, strict, schema } = format.json_schema;
  return { kind: 'json_schema', name, schema, ...(!isAbsent(strict) && { strict }) };
}

function structuredOutputOf(given: NonNullable<Forms['structured_outputs']>, param: string): OutputFormat | null {
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
function schemaFormat(given: string | Record<string, unknown>, param: string): OutputFormat {
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

function patternFormat(pattern: string): OutputFormat {
  return { kind: 'regex', pattern };
}

function grammarFormat(grammar: string): OutputFormat {
  return { kind: 'grammar', grammar };
}

function choiceFormat(options: string[]): OutputFormat {
  return { kind: 'choice', options };
}
