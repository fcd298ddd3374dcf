import { type CanonicalRequest, type Sampling } from '@slipway/contracts';
import { z } from 'zod';
import { fault } from './error-object.js';
import { isAbsent, type JsonObject, noted, type Present } from './faults.js';
import { MAX_INT32, temperature, topP } from './fields.js';

const MAX_BIASES = 1024;
const MAX_TOP_LOGPROBS = 20;
const MAX_STOPS = 4;
const MAX_STOP_TOKENS = 128;
const MAX_STOP_CHARS = 1024;
const MAX_METADATA_PAIRS = 16;
const MAX_TEMPLATE_ARGS = 64;
const MAX_TEMPLATE_ARG_CHARS = 4096;
const SEEDS = 2n ** 32n;

/** A null gets `invalid_type` instead of counting as absent. */
const NULL_IS_WRONG = { absent: 'undefined' } as const;

const flag = z.boolean().nullish();
/** Any 64-bit integer. JSON numbers above 2^53 are rounded, which does not matter for a seed. */
const seed = noted(
  z
    .number()
    .refine((value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63)
    .meta({ type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 }),
  { expected: 'a 64-bit integer' },
);
/** Sampling fields of the chat and the responses contract. */
export const SAMPLING = z.object({
  temperature: temperature.nullish().meta({ description: 'Default 1.' }),
  top_p: topP.nullish(),
  seed: seed.nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  logit_bias: noted(
    z
      .record(z.string().regex(/^\d{1,7}$/), noted(z.number().min(-100).max(100), NULL_IS_WRONG))
      .refine((biases) => Object.keys(biases).length <= MAX_BIASES)
      .meta({ maxProperties: MAX_BIASES }),
    { expected: `an object of at most ${MAX_BIASES} token ids, each with a number from -100 to 100` },
  ).nullish(),

  // Supported by some engines.
  top_k: z.int().min(-1).max(MAX_INT32).nullish().meta({ description: '0 and -1 switch it off.' }),
  min_p: z.number().min(0).max(1).nullish(),
  repetition_penalty: z.number().gt(0).max(10).nullish(),
  min_tokens: z.int().min(0).max(MAX_INT32).nullish(),
  ignore_eos: flag.meta({ description: 'Needs a limit of tokens.' }),
  stop_token_ids: noted(z.array(noted(z.int().min(0).max(MAX_INT32), NULL_IS_WRONG)).max(MAX_STOP_TOKENS), {
    whole: true,
    expected: `an array of at most ${MAX_STOP_TOKENS} token ids`,
  }).nullish(),
});
type SamplingFields = Present<z.output<typeof SAMPLING>>;

/** Alternatives for each token. */
export const topLogprobs = z.int().min(0).max(MAX_TOP_LOGPROBS);
/** How much the model reasons. */
export const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
/** Accepted without an effect. */
export const metadata = noted(
  z
    .record(z.string().max(64), noted(z.string().max(512), NULL_IS_WRONG))
    .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS)
    .meta({ maxProperties: MAX_METADATA_PAIRS }),
  { expected: `an object of at most ${MAX_METADATA_PAIRS} strings: names of 64 characters at most, values of 512` },
);

const stopText = noted(
  z
    .string()
    .max(MAX_STOP_CHARS)
    .refine((text) => text !== '')
    .meta({ minLength: 1 }),
  NULL_IS_WRONG,
);

/** Stop strings. */
export const stop = noted(z.union([stopText, z.array(stopText).max(MAX_STOPS)]), {
  whole: true,
  expected: `a string or an array of at most ${MAX_STOPS} strings, each of 1 to ${MAX_STOP_CHARS} characters`,
});

/** Template variables that are set by the request itself or would choose another template. */
const RESERVED_ARGS = [
  ...['messages', 'conversation', 'tools', 'documents', 'chat_template', 'tokenize', 'return_dict'],
  ...['add_generation_prompt', 'continue_final_message', 'bos_token', 'eos_token'],
] as const;
const reservedIn = (args: unknown): string | undefined => RESERVED_ARGS.find((name) => !isAbsent((args as JsonObject)[name]));
const TEMPLATE_ARGS = `an object of at most ${MAX_TEMPLATE_ARGS} strings (of at most ${MAX_TEMPLATE_ARG_CHARS} characters), numbers and booleans`;
const templateArg = noted(z.union([z.string().max(MAX_TEMPLATE_ARG_CHARS), z.number(), z.boolean()]), {
  whole: true,
  expected: TEMPLATE_ARGS,
});
/** Variables of the chat template. */
export const templateArgs = noted(
  z
    .object({ enable_thinking: flag })
    .catchall(noted(templateArg.nullable(), { unnamed: true }))
    .refine((args) => reservedIn(args) === undefined, {
      params: { code: 'unsupported_value' },
      error: ({ input }) => `may not set ${reservedIn(input)}`,
    })
    .refine((args) => Object.values(args).filter((value) => !isAbsent(value)).length <= MAX_TEMPLATE_ARGS),
  { expected: TEMPLATE_ARGS },
);
type TemplateArgs = z.output<typeof templateArgs>;

/** Checks the conditions for the end of an answer. @param limitName the field of the limit. @throws ServiceError */
export function checkEnd(settings: SamplingFields, limit: number | undefined, limitName: string): void {
  if (settings.ignore_eos && limit === undefined) {
    throw fault('invalid_value', 'ignore_eos', `'ignore_eos' needs '${limitName}': nothing else would end the answer.`);
  }
  if (limit !== undefined && (settings.min_tokens ?? 0) > limit) {
    throw fault('invalid_value', 'min_tokens', "'min_tokens' is more than the request's limit of tokens.");
  }
}

/** The sampling of a request in canonical form, with the fields that have a value. */
export function samplingOf(settings: SamplingFields): Sampling {
  const { temperature, top_p: topP, top_k: topK, min_p: minP, seed, logit_bias: biases } = settings;
  const sampling: Sampling = {};
  if (temperature !== undefined) sampling.temperature = temperature;
  // `top_p` 0 means the most probable token. Engines reject it, so it is sent as temperature 0.
  if (topP === 0) sampling.temperature = 0;
  else if (topP !== undefined) sampling.top_p = topP;
  if (topK !== undefined) sampling.top_k = Math.max(0, topK);
  if (minP !== undefined) sampling.min_p = minP;
  if (seed !== undefined) sampling.seed = Number(((BigInt(seed) % SEEDS) + SEEDS) % SEEDS);
  if (biases !== undefined) sampling.logit_bias = biases;
  addPenalties(sampling, settings);
  addEnd(sampling, settings);
  return sampling;
}

function addPenalties(sampling: Sampling, settings: SamplingFields): void {
  const { frequency_penalty: frequency, presence_penalty: presence, repetition_penalty: repetition } = settings;
  if (frequency !== undefined) sampling.frequency_penalty = frequency;
  if (presence !== undefined) sampling.presence_penalty = presence;
  if (repetition !== undefined) sampling.repetition_penalty = repetition;
}

/** Further conditions for the end of an answer. */
function addEnd(sampling: Sampling, { min_tokens: minTokens = 0, ignore_eos: ignoreEos, stop_token_ids: ids = [] }: SamplingFields): void {
  if (minTokens > 0) sampling.min_tokens = minTokens;
  if (ignoreEos) sampling.ignore_eos = true;
  if (ids.length > 0) sampling.stop_token_ids = ids;
}

/** The stop strings of a request. */
export function stopOf({ stop: given }: { readonly stop?: z.output<typeof stop> | null | undefined }): string[] {
  return typeof given === 'string' ? [given] : (given ?? []);
}

/** Variables of the chat template, without those that are null. */
export function templateArgsOf({
  chat_template_kwargs: given,
}: {
  readonly chat_template_kwargs?: TemplateArgs | null | undefined;
}): Pick<CanonicalRequest, 'template_args'> {
  const entries = Object.entries(given ?? {}).filter((entry): entry is [string, string | number | boolean] => !isAbsent(entry[1]));
  return entries.length === 0 ? {} : { template_args: Object.fromEntries(entries) };
}
