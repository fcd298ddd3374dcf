import { z } from 'zod';
import { isAbsent, type JsonObject, noted } from '../shared/faults.js';
import * as shared from '../shared/fields.js';
import { ChatMessage } from './conversation.js';

const MAX_MESSAGES = 2048;
const MAX_TOOLS = 128;
/** Most choices of a request; each uses a sequence of the engine. */
const MAX_CHOICES = 8;
const MAX_BIASES = 1024;
const MAX_TOP_LOGPROBS = 20;
const MAX_STOPS = 4;
const MAX_STOP_TOKENS = 128;
const MAX_STOP_CHARS = 1024;
const MAX_PATTERN_CHARS = 8 * 1024;
const MAX_GRAMMAR_CHARS = 64 * 1024;
const MAX_OPTIONS = 1024;
const MAX_METADATA_PAIRS = 16;
const MAX_TEMPLATE_ARGS = 64;
const MAX_TEMPLATE_ARG_CHARS = 4096;

/** A null gets `invalid_type` instead of counting as absent. */
const NULL_IS_WRONG = { absent: 'undefined' } as const;

const text = (max: number): z.ZodOptional<z.ZodNullable<z.ZodString>> => z.string().max(max).nullish();
const flag = z.boolean().nullish();
const limit = z.int().min(1).nullish();
const anyObject = z.record(z.string(), z.unknown()).nullish();
const filled = z.string().min(1);
/** Any 64-bit integer. JSON numbers above 2^53 are rounded, which does not matter for a seed. */
const seed = noted(
  z
    .number()
    .refine((value) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63)
    .meta({ type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 }),
  { expected: 'a 64-bit integer' },
);
const listOfMessages = <T extends z.ZodType>(message: T): z.ZodArray<T> => z.array(message).min(1).max(MAX_MESSAGES);

/** Plain fields. They are checked first, in this order. */
export const ChatSettings = z.object({
  model: shared.modelName.meta({ description: 'A name of the deployment in the URL: its slug, an alias of it, or `account/alias`.' }),
  messages: listOfMessages(z.unknown()),
  stream: flag.meta({ description: 'The answer as server-sent events.' }),
  stream_options: z
    .object({ include_usage: flag, continuous_usage_stats: flag, include_obfuscation: flag })
    .nullish()
    .meta({ description: 'With `stream` only.' }),

  temperature: shared.temperature.nullish().meta({ description: 'Default 1.' }),
  top_p: shared.topP.nullish(),
  max_completion_tokens: limit.meta({
    description: 'Tokens of an answer; wins over `max_tokens`. A limit above the context means as much as fits.',
  }),
  max_tokens: limit,
  n: z.int().min(1).max(MAX_CHOICES).nullish().meta({ description: 'Choices.' }),
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
  logprobs: flag,
  top_logprobs: z.int().min(0).max(MAX_TOP_LOGPROBS).nullish().meta({ description: 'Needs `logprobs`.' }),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),

  // Supported by some engines.
  top_k: z.int().min(-1).max(shared.MAX_INT32).nullish().meta({ description: '0 and -1 switch it off.' }),
  min_p: z.number().min(0).max(1).nullish(),
  repetition_penalty: z.number().gt(0).max(10).nullish(),
  min_tokens: z.int().min(0).max(shared.MAX_INT32).nullish(),
  ignore_eos: flag.meta({ description: 'Needs a limit of tokens.' }),
  stop_token_ids: noted(z.array(noted(z.int().min(0).max(shared.MAX_INT32), NULL_IS_WRONG)).max(MAX_STOP_TOKENS), {
    whole: true,
    expected: `an array of at most ${MAX_STOP_TOKENS} token ids`,
  }).nullish(),

  // Accepted without an effect.
  user: text(1024),
  safety_identifier: text(64),
  prompt_cache_key: text(1024).meta({ description: 'Requests with the same key meet the same cached prefix.' }),
  prompt_cache_retention: text(64),
  prompt_cache_options: anyObject,
  prediction: anyObject,
  moderation: anyObject,
  verbosity: text(32),
  service_tier: text(32),
  store: flag,
  metadata: noted(
    z
      .record(z.string().max(64), noted(z.string().max(512), NULL_IS_WRONG))
      .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA_PAIRS)
      .meta({ maxProperties: MAX_METADATA_PAIRS }),
    { expected: `an object of at most ${MAX_METADATA_PAIRS} strings: names of 64 characters at most, values of 512` },
  ).nullish(),
  include_reasoning: flag,
  separate_reasoning: flag,
  cache_prompt: flag,
  thinking_token_budget: z.number().nullish(),
});

const replacedByTools = { says: 'was replaced by tools and is not supported' };

/** Fields that would change the answer and are not supported. */
export const ChatNotOffered = z.object({
  functions: shared.notOffered(undefined, replacedByTools),
  function_call: shared.notOffered(undefined, replacedByTools),
  modalities: noted(z.array(z.enum(['text'])), { whole: true, code: 'unsupported_value', says: 'Only text can be generated.' }).nullish(),
  audio: shared.notOffered(),
  web_search_options: shared.notOffered(),
  chat_template: shared.notOffered(),
  custom_logit_processor: shared.notOffered(),
  logits_processors: shared.notOfferedUnlessEmpty(),
  input_ids: shared.notOffered(),
  lora: shared.notOfferedUnlessEmpty(),
  lora_path: shared.notOffered(),
  // Sampling of some engines: ignoring it would change the answer.
  best_of: shared.notOfferedUnless(1),
  use_beam_search: shared.notOfferedUnless(false),
  length_penalty: shared.notOfferedUnless(1),
  echo: shared.notOfferedUnless(false),
  prompt_logprobs: shared.notOfferedUnless(0, false),
  allowed_token_ids: shared.notOfferedUnlessEmpty(),
  bad_words: shared.notOfferedUnlessEmpty(),
  typical_p: shared.notOfferedUnless(1),
  mirostat: shared.notOfferedUnless(0),
  xtc_probability: shared.notOfferedUnless(0),
  dry_multiplier: shared.notOfferedUnless(0),
  dynatemp_range: shared.notOfferedUnless(0),
});

export const SCHEMA_OR_TEXT = 'a JSON schema, or its JSON text';
/** A schema or its JSON text, which some clients send. */
const schemaOrText = noted(
  z.union([
    shared.jsonSchema({}),
    noted(z.string().regex(/^\s*\{/), { code: 'invalid_type', expected: SCHEMA_OR_TEXT }).meta({ description: 'JSON text of a schema.' }),
  ]),
  { expected: SCHEMA_OR_TEXT },
);
const pattern = filled.max(MAX_PATTERN_CHARS);
const grammar = filled.max(MAX_GRAMMAR_CHARS);
const options = z.array(filled.max(MAX_PATTERN_CHARS)).min(1).max(MAX_OPTIONS);
const namedSchema = noted(
  z.object({
    name: noted(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), { expected: '1 to 64 letters, digits, dashes and underscores' }),
    strict: flag,
    schema: shared.jsonSchema({}),
    description: shared.unchecked('string'),
  }),
  { absentMember: 'name' },
);

/** Fields that request an output format, by the names of the contract and of other servers. */
export const ChatForms = z.object({
  response_format: noted(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object'), schema: schemaOrText.nullish() }),
      z.object({ type: z.literal('json_schema'), json_schema: namedSchema }),
    ]),
    { absent: 'never' },
  )
    .nullish()
    .meta({ description: 'The form of the answer. One field at most may ask for a form.' }),
  structured_outputs: z
    .object({
      json: schemaOrText.nullish(),
      regex: pattern.nullish(),
      choice: options.nullish(),
      grammar: grammar.nullish(),
      json_object: flag,
    })
    .catchall(noted(z.null(), { code: 'unsupported_parameter', says: 'This form is not supported.' }))
    .nullish(),
  guided_json: schemaOrText.nullish(),
  guided_regex: pattern.nullish(),
  guided_choice: options.nullish(),
  guided_grammar: grammar.nullish(),
  json_schema: schemaOrText.nullish(),
  regex: pattern.nullish(),
  ebnf: grammar.nullish(),
  grammar: grammar.nullish(),
});

const ofFunction = noted(z.literal('function'), { absent: 'never', says: 'Only tools of the type "function" are supported.' });
const ChatTool = z
  .object({
    type: ofFunction,
    function: z.object({
      name: shared.toolName,
      description: z.string().nullish(),
      strict: flag.meta({ description: 'Calls are held to the schema where the engine can.' }),
      parameters: shared
        .jsonSchema({
          type: noted(z.literal('object'), { absent: 'never', says: 'The arguments of a function are an object.' }).optional(),
        })
        .nullish()
        .meta({ description: 'A JSON schema of the type `object`.' }),
    }),
  })
  .meta({ id: 'ChatTool' });

const stopText = noted(
  z
    .string()
    .max(MAX_STOP_CHARS)
    .refine((text) => text !== '')
    .meta({ minLength: 1 }),
  NULL_IS_WRONG,
);

const namedTool = z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) });
const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z.object({ mode: z.enum(['auto', 'required']), tools: z.array(namedTool).min(1) }),
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
const templateArgs = noted(
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

/** The conversation and structured fields. They are checked last. */
export const ChatStructure = z.object({
  messages: listOfMessages(ChatMessage),
  stop: noted(z.union([stopText, z.array(stopText).max(MAX_STOPS)]), {
    whole: true,
    expected: `a string or an array of at most ${MAX_STOPS} strings, each of 1 to ${MAX_STOP_CHARS} characters`,
  }).nullish(),
  tools: z.array(ChatTool).max(MAX_TOOLS).nullish(),
  parallel_tool_calls: flag.meta({ description: 'False: one call at most.' }),
  tool_choice: noted(z.union([z.enum(['none', 'auto', 'required']), z.discriminatedUnion('type', [namedTool, allowedTools])]), {
    whole: true,
    code: 'invalid_value',
    expected: 'none, auto, required, or an object of the type "function" or "allowed_tools" that names tools of the request',
  }).nullish(),
  chat_template_kwargs: templateArgs.nullish().meta({ maxProperties: MAX_TEMPLATE_ARGS, description: 'Variables of the chat template.' }),
  continue_final_message: flag.meta({ description: 'The answer goes on with the last message, which is the assistant’s.' }),
  add_generation_prompt: flag.meta({ enum: [true, null], description: 'False makes sense beside `continue_final_message` alone.' }),
});

/** The body of a chat completion. Other fields are ignored. */
export const ChatBody = z
  .object({ ...ChatSettings.shape, ...ChatNotOffered.shape, ...ChatForms.shape, ...ChatStructure.shape })
  .meta({ id: 'ChatCompletionRequest' });
