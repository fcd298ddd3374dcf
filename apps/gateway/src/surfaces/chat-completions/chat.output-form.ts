import { isDeepStrictEqual } from 'node:util';
import type { OutputFormat } from '@slipway/contracts';
import { parseBody } from '../../http/parse-json.js';
import { type Fields, fault, isAbsent, missing, optionalFlag, requireObject, requireSchema, requireText, wrongType } from './chat.fault.js';

const SCHEMA_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_PATTERN_CHARS = 8 * 1024;
const MAX_GRAMMAR_CHARS = 64 * 1024;
const MAX_OPTIONS = 1024;

/** The form that an answer must take, and the field that asks for it. */
export interface OutputForm {
  readonly param: string;
  readonly output: OutputFormat;
}

type Reader = (value: unknown, param: string) => OutputFormat | null;

const readPattern: Reader = (value, param) => ({ kind: 'regex', pattern: boundedText(value, param, MAX_PATTERN_CHARS) });
const readGrammar: Reader = (value, param) => ({ kind: 'grammar', grammar: boundedText(value, param, MAX_GRAMMAR_CHARS) });
const readSchema: Reader = (value, param) => ({ kind: 'json_schema', schema: requireSchema(parsedSchema(value, param), param) });

/** What one form is called by the contract and by the servers that clients come from. */
const FIELDS: Readonly<Record<string, Reader>> = {
  response_format: readResponseFormat,
  structured_outputs: readStructuredOutputs,
  guided_json: readSchema,
  guided_regex: readPattern,
  guided_choice: readOptions,
  guided_grammar: readGrammar,
  json_schema: readSchema,
  regex: readPattern,
  ebnf: readGrammar,
  grammar: readGrammar,
};

/**
 * The one form that a request asks for; null = free text. Two fields that ask for the same are one.
 * @throws ServiceError naming what is wrong, or the second of two forms.
 */
export function readOutputForm(body: Fields): OutputForm | null {
  let form: OutputForm | null = null;
  for (const [param, read] of Object.entries(FIELDS)) {
    const output = isAbsent(body[param]) ? null : read(body[param], param);
    if (output && form && !isSame(form.output, output)) {
      throw fault('invalid_value', param, `'${param}' cannot be combined with '${form.param}'.`);
    }
    // The first one is the one that may carry a name.
    if (output) form ??= { param, output };
  }
  return form;
}

/** The name of a schema and its strictness say nothing of what an answer looks like; a field that is silent on them agrees. */
function isSame(one: OutputFormat, other: OutputFormat): boolean {
  if (one.kind !== 'json_schema' || other.kind !== 'json_schema') return isDeepStrictEqual(one, other);
  return isDeepStrictEqual(one.schema, other.schema) && (other.strict === undefined || one.strict === other.strict);
}

function readResponseFormat(value: unknown, param: string): OutputFormat | null {
  const format = requireObject(value, param);
  switch (format['type']) {
    case 'text':
      return null;
    case 'json_object':
      // A schema may stand beside the type in requests written for llama.cpp.
      return isAbsent(format['schema']) ? { kind: 'json_object' } : readSchema(format['schema'], `${param}.schema`);
    case 'json_schema':
      return readNamedSchema(format['json_schema'], `${param}.json_schema`);
    default:
      throw fault('invalid_value', `${param}.type`, 'The type must be text, json_object or json_schema.');
  }
}

function readNamedSchema(value: unknown, param: string): OutputFormat {
  // Without the object around it, it is still its name that is missing.
  const definition = isAbsent(value) ? {} : requireObject(value, param);
  const name = requireText(definition['name'], `${param}.name`);
  if (!SCHEMA_NAME.test(name)) {
    throw fault('invalid_value', `${param}.name`, `'${param}.name' must be 1 to 64 letters, digits, dashes and underscores.`);
  }
  const strict = optionalFlag(definition['strict'], `${param}.strict`);
  const schema = requireSchema(definition['schema'], `${param}.schema`);
  return { kind: 'json_schema', name, schema, ...(strict !== undefined && { strict }) };
}

const STRUCTURED: Readonly<Record<string, Reader>> = {
  json: readSchema,
  regex: readPattern,
  choice: readOptions,
  grammar: readGrammar,
  json_object: (value, param) => (optionalFlag(value, param) === true ? { kind: 'json_object' } : null),
};

function readStructuredOutputs(value: unknown, param: string): OutputFormat | null {
  let form: OutputFormat | null = null;
  for (const [name, inner] of Object.entries(requireObject(value, param))) {
    if (isAbsent(inner)) continue;
    const read = Object.hasOwn(STRUCTURED, name) ? STRUCTURED[name] : undefined;
    if (!read) throw fault('unsupported_parameter', `${param}.${name}`, `'${param}.${name}' is not supported.`);
    const output = read(inner, `${param}.${name}`);
    if (output && form) throw fault('invalid_value', param, `'${param}' may hold only one of json, regex, choice and grammar.`);
    form = output ?? form;
  }
  return form;
}

function readOptions(value: unknown, param: string): OutputFormat {
  if (!Array.isArray(value)) throw wrongType(param, 'an array of strings');
  if (value.length === 0) throw fault('empty_array', param, `'${param}' must hold at least one string.`);
  if (value.length > MAX_OPTIONS) throw fault('array_above_max_length', param, `'${param}' may hold at most ${MAX_OPTIONS} strings.`);
  return { kind: 'choice', options: value.map((option, i) => boundedText(option, `${param}[${i}]`, MAX_PATTERN_CHARS)) };
}

/** Some clients send a schema as its JSON text, which the checks of the body around it have not seen: it gets the same. */
function parsedSchema(value: unknown, param: string): unknown {
  if (typeof value !== 'string') return value;
  const outcome = parseBody(Buffer.from(value));
  if ('value' in outcome) return outcome.value;
  if (outcome.code === 'invalid_json') throw wrongType(param, 'a JSON schema, or its JSON text');
  throw fault(outcome.code, param, `The JSON text in '${param}' is nested deeper than a request may be, or holds half a surrogate pair.`);
}

function boundedText(value: unknown, param: string, max: number): string {
  const text = requireText(value, param);
  if (text === '') throw missing(param);
  if (text.length > max) throw fault('invalid_value', param, `'${param}' is longer than ${max} characters.`);
  return text;
}
