import { ServiceError } from '@slipway/contracts';

type Body = Readonly<Record<string, unknown>>;
type Refusal = ServiceError | null;

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that would change the answer and are not offered, with the values that ask for nothing. */
const NOT_OFFERED: Readonly<Record<string, (value: unknown) => boolean>> = {
  logprobs: (value) => value === false,
  audio: () => false,
  web_search_options: () => false,
  min_tokens: (value) => value === 0,
  ignore_eos: (value) => value === false,
  stop_token_ids: isEmpty,
  chat_template_kwargs: isEmpty,
  chat_template: () => false,
  structured_outputs: isEmpty,
  guided_json: () => false,
  guided_regex: () => false,
  guided_choice: () => false,
  guided_grammar: () => false,
  regex: () => false,
  ebnf: () => false,
  grammar: () => false,
  json_schema: () => false,
  continue_final_message: (value) => value === false,
  add_generation_prompt: (value) => value === true,
  custom_logit_processor: () => false,
  input_ids: () => false,
  lora: isEmpty,
  lora_path: () => false,
};

const unsupported = (param: string, message: string): ServiceError => new ServiceError('unsupported_parameter', message, { param });
const invalid = (param: string, message: string): ServiceError => new ServiceError('invalid_value', message, { param });
const missing = (param: string): ServiceError => new ServiceError('missing_required_parameter', `'${param}' is required.`, { param });

/** The first field of a body that asks for something which is not offered: it is refused, never dropped. */
export function firstRefusal(body: Body): Refusal {
  return (
    functions(body) ??
    tools(body) ??
    toolChoice(body) ??
    choices(body) ??
    logprobs(body) ??
    responseFormat(body) ??
    modalities(body) ??
    others(body)
  );
}

function functions(body: Body): Refusal {
  const param = ['functions', 'function_call'].find((name) => body[name] !== undefined);
  return param === undefined ? null : unsupported(param, `'${param}' was replaced by tools and is not supported.`);
}

function tools({ tools: list }: Body): Refusal {
  if (list === undefined) return null;
  if (!Array.isArray(list)) return new ServiceError('invalid_type', "'tools' must be an array.", { param: 'tools' });
  for (const [i, tool] of (list as unknown[]).entries()) {
    if (!isObject(tool) || tool['type'] !== 'function') return invalid(`tools[${i}].type`, 'Only tools of type "function" are supported.');
    const definition = tool['function'];
    if (!isObject(definition) || typeof definition['name'] !== 'string') return missing(`tools[${i}].function.name`);
  }
  return list.length === 0 ? null : unsupported('tools', 'Tools are not supported yet; send the request without them.');
}

function toolChoice({ tool_choice: choice }: Body): Refusal {
  if (choice === undefined || choice === 'none' || choice === 'auto') return null;
  return invalid('tool_choice', "Without 'tools', 'tool_choice' can only be none or auto.");
}

function choices({ n }: Body): Refusal {
  if (typeof n !== 'number' || !Number.isInteger(n) || n <= 1) return null;
  return new ServiceError('unsupported_value', 'Only one choice per request is supported; send n = 1.', { param: 'n' });
}

function logprobs(body: Body): Refusal {
  const { top_logprobs: top } = body;
  if (top === undefined) return null;
  if (body['logprobs'] !== true) return invalid('top_logprobs', "'top_logprobs' needs 'logprobs' to be true.");
  const inRange = Number.isInteger(top) && (top as number) >= 0 && (top as number) <= 20;
  return inRange ? null : invalid('top_logprobs', "'top_logprobs' must be an integer from 0 to 20.");
}

function responseFormat({ response_format: format }: Body): Refusal {
  if (format === undefined) return null;
  const type = isObject(format) ? format['type'] : undefined;
  if (type === 'text') return null;
  if (type !== 'json_object' && type !== 'json_schema')
    return invalid('response_format.type', 'The type must be text, json_object or json_schema.');
  const schema = isObject(format) ? format['json_schema'] : undefined;
  if (type === 'json_schema' && (!isObject(schema) || typeof schema['name'] !== 'string'))
    return missing('response_format.json_schema.name');
  return unsupported('response_format', 'Structured output is not supported yet; only the type text is.');
}

function modalities({ modalities: list }: Body): Refusal {
  const onlyText = list === undefined || (Array.isArray(list) && list.every((entry) => entry === 'text'));
  return onlyText ? null : new ServiceError('unsupported_value', 'Only text can be generated.', { param: 'modalities' });
}

function others(body: Body): Refusal {
  const param = Object.keys(body).find((name) => Object.hasOwn(NOT_OFFERED, name) && NOT_OFFERED[name]?.(body[name]) === false);
  return param === undefined ? null : unsupported(param, `'${param}' is not supported yet; send the request without it.`);
}
