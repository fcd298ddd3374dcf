import { z } from 'zod';
import { noted } from '../shared/faults.js';
import * as shared from '../shared/fields.js';
import { grammar, options, pattern, schemaOrText, structuredOutputs } from '../shared/output-forms.js';
import { effort, metadata, SAMPLING, stop, templateArgs, topLogprobs } from '../shared/sampling.js';
import { ChatMessage } from './conversation.js';

const MAX_MESSAGES = 2048;
const MAX_TOOLS = 128;
/** Most choices of a request; each uses a sequence of the engine. */
const MAX_CHOICES = 8;

const text = (max: number): z.ZodOptional<z.ZodNullable<z.ZodString>> => z.string().max(max).nullish();
const flag = z.boolean().nullish();
const limit = z.int().min(1).nullish();
const anyObject = z.record(z.string(), z.unknown()).nullish();
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

  ...SAMPLING.shape,
  max_completion_tokens: limit.meta({
    description: 'Tokens of an answer; wins over `max_tokens`. A limit above the context means as much as fits.',
  }),
  max_tokens: limit,
  n: z.int().min(1).max(MAX_CHOICES).nullish().meta({ description: 'Choices.' }),
  logprobs: flag,
  top_logprobs: topLogprobs.nullish().meta({ description: 'Needs `logprobs`.' }),
  reasoning_effort: effort.nullish(),

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
  metadata: metadata.nullish(),
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
  structured_outputs: structuredOutputs.nullish(),
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

const namedTool = z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) });
const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z.object({ mode: z.enum(['auto', 'required']), tools: z.array(namedTool).min(1) }),
});

/** The conversation and structured fields. They are checked last. */
export const ChatStructure = z.object({
  messages: listOfMessages(ChatMessage),
  stop: stop.nullish(),
  tools: z.array(ChatTool).max(MAX_TOOLS).nullish(),
  parallel_tool_calls: flag.meta({ description: 'False: one call at most.' }),
  tool_choice: noted(z.union([z.enum(['none', 'auto', 'required']), z.discriminatedUnion('type', [namedTool, allowedTools])]), {
    whole: true,
    code: 'invalid_value',
    expected: 'none, auto, required, or an object of the type "function" or "allowed_tools" that names tools of the request',
  }).nullish(),
  chat_template_kwargs: templateArgs.nullish(),
  continue_final_message: flag.meta({ description: 'The answer goes on with the last message, which is the assistant’s.' }),
  add_generation_prompt: flag.meta({ enum: [true, null], description: 'False makes sense beside `continue_final_message` alone.' }),
});

/** The body of a chat completion. Other fields are ignored. */
export const ChatBody = z
  .object({ ...ChatSettings.shape, ...ChatNotOffered.shape, ...ChatForms.shape, ...ChatStructure.shape })
  .meta({ id: 'ChatCompletionRequest' });
