import { fault, type Fields } from './chat.fault.js';

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const never = (): boolean => false;
const is =
  (...neutral: readonly unknown[]) =>
  (value: unknown): boolean =>
    neutral.includes(value);

/** Fields that would change the answer and are not offered, each with the values that ask for nothing. */
const NOT_OFFERED: Readonly<Record<string, (value: unknown) => boolean>> = {
  audio: never,
  web_search_options: never,
  chat_template: never,
  custom_logit_processor: never,
  logits_processors: isEmpty,
  input_ids: never,
  lora: isEmpty,
  lora_path: never,
  // Sampling of single engines: dropping one in silence would give another answer than was asked for.
  best_of: is(1),
  use_beam_search: is(false),
  length_penalty: is(1),
  echo: is(false),
  prompt_logprobs: is(0, false),
  allowed_token_ids: isEmpty,
  bad_words: isEmpty,
  typical_p: is(1),
  mirostat: is(0),
  xtc_probability: is(0),
  dry_multiplier: is(0),
  dynatemp_range: is(0),
};

/**
 * Refuses what would change the answer and is not offered.
 * @throws ServiceError naming the first such field: it is refused, never dropped.
 */
export function refuseNotOffered(body: Fields): void {
  const replaced = ['functions', 'function_call'].find((name) => body[name] !== undefined);
  if (replaced !== undefined) throw fault('unsupported_parameter', replaced, `'${replaced}' was replaced by tools and is not supported.`);
  refuseModalities(body['modalities']);
  const param = Object.keys(body).find((name) => Object.hasOwn(NOT_OFFERED, name) && NOT_OFFERED[name]?.(body[name]) === false);
  if (param !== undefined) throw fault('unsupported_parameter', param, `'${param}' is not supported; send the request without it.`);
}

function refuseModalities(list: unknown): void {
  const onlyText = list === undefined || (Array.isArray(list) && list.every((entry) => entry === 'text'));
  if (!onlyText) throw fault('unsupported_value', 'modalities', 'Only text can be generated.');
}
