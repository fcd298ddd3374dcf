import type { OutputFormat } from '@slipway/contracts';
import type { z } from 'zod';
import { fault } from '../shared/error-object.js';
import { isAbsent, type Present } from '../shared/faults.js';
import { choiceFormat, grammarFormat, isSameOutput, patternFormat, schemaFormat, structuredOutputOf } from '../shared/output-forms.js';
import type { ChatForms } from './schema.js';

type Forms = Present<z.output<typeof ChatForms>>;

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
    if (output && form && !isSameOutput(form.output, output)) {
      throw fault('invalid_value', param, `'${param}' cannot be combined with '${form.param}'.`);
    }
    // Only the first field may carry a name.
    if (output) form ??= { param, output };
  }
  return form;
}

function responseFormatOf(format: NonNullable<Forms['response_format']>, param: string): OutputFormat | null {
  if (format.type === 'text') return null;
  // Requests written for llama.cpp may have a schema beside this type.
  if (format.type === 'json_object')
    return isAbsent(format.schema) ? { kind: 'json_object' } : schemaFormat(format.schema, `${param}.schema`);
  const { name, strict, schema } = format.json_schema;
  return { kind: 'json_schema', name, schema, ...(!isAbsent(strict) && { strict }) };
}
