import { z } from 'zod';
import { type JsonObject, noted, type UnknownOption } from '../shared/faults.js';
import * as shared from '../shared/fields.js';
import { structuredOutputs } from '../shared/output-forms.js';
import { effort, metadata, SAMPLING, stop, templateArgs, topLogprobs } from '../shared/sampling.js';
import { ResponsesTools } from './tools.js';

/** Most items of a conversation. */
export const MAX_ITEMS = 2048;
const MAX_PARTS = 2048;
const MAX_INCLUDES = 64;

const flag = z.boolean().nullish();
const short = z.string().max(1024).nullish();
const anyObject = z.record(z.string(), z.unknown()).nullish();
const filled = z.string().min(1);
const ignoredText = z.string().max(64).nullish();

/** A field of the chat contract, refused with this contract's name for it. */
const calls = (own: string): z.ZodOptional<z.ZodNullable<z.ZodUnknown>> =>
  shared.notOffered(undefined, { says: `is a field of another contract; this contract calls it '${own}'` });

/** Fields of the chat contract. They are checked first, because without them nothing would be asked. */
export const ChatFields = z.object({
  messages: calls('input'),
  functions: calls('tools'),
  response_format: calls('text.format'),
  max_tokens: calls('max_output_tokens'),
  max_completion_tokens: calls('max_output_tokens'),
  n: shared.notOffered(undefined, { says: 'is a field of another contract; this contract makes one answer' }),
});

/** Fields that would need kept conversations, or change the answer. */
export const NotOffered = z.object({
  conversation: shared.notOffered(undefined, {
    says: "Conversations are not kept here. Send the whole conversation in 'input'.",
  }),
  background: shared.notOffered((value) => value === false, { says: "'background': answers are not kept here; use 'stream'." }),
  prompt: shared.notOffered(undefined, { says: "Prompt templates are not kept here. Send the text in 'instructions' and 'input'." }),
});

/** Plain fields. They are checked next, in this order. */
export const Settings = z.object({
  model: shared.modelName.meta({ description: 'A name of the deployment in the URL: its slug, an alias of it, or `account/alias`.' }),
  instructions: z.string().nullish().meta({ description: 'Comes before all system and developer messages.' }),
  stream: flag.meta({ description: 'The answer as server-sent events.' }),
  stream_options: z.object({ include_obfuscation: flag }).nullish().meta({ description: 'With `stream` only.' }),
  max_output_tokens: z
    .int()
    .min(1)
    .nullish()
    .meta({ description: 'A limit above the context means as much as fits. Absent: the room left.' }),
  ...SAMPLING.shape,
  top_logprobs: topLogprobs.nullish(),
  include: z.array(z.string()).max(MAX_INCLUDES).nullish().meta({
    description: '`reasoning.encrypted_content` and `message.output_text.logprobs` have an effect.',
  }),
  reasoning: z.looseObject({ effort: effort.nullish() }).nullish(),
  prompt_cache_key: short.meta({ description: 'Requests with the same key meet the same cached prefix.' }),
  previous_response_id: z
    .string()
    .nullish()
    .meta({ description: 'A stored response, whose conversation comes before `input`. Where the deployment stores responses.' }),
  store: flag.meta({ description: 'False: the response is not stored, where the deployment stores responses. Absent: it is.' }),

  // Accepted without an effect.
  metadata: metadata.nullish().meta({ description: 'Repeated in the answer.' }),
  truncation: ignoredText,
  user: short,
  safety_identifier: ignoredText,
  service_tier: ignoredText,
  prompt_cache_retention: ignoredText,
  prompt_cache_options: anyObject,
  max_tool_calls: z.number().nullish(),
  client_metadata: anyObject,
  context_management: z.unknown().optional(),
  moderation: z.unknown().optional(),
});

const format = noted(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      name: noted(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/), { expected: '1 to 64 letters, digits, dashes and underscores' }),
      schema: shared.jsonSchema({}),
      strict: flag,
      description: shared.unchecked('string'),
    }),
  ]),
  { absent: 'never' },
);

const unsupported =
  (says: string) =>
  (part: JsonObject): UnknownOption | undefined =>
    typeof part['type'] === 'string' ? { code: 'unsupported_content', says } : undefined;

const textPart = (type: 'input_text' | 'output_text') => z.object({ type: z.literal(type), text: z.string() });
const image = z.object({
  type: z.literal('input_image'),
  image_url: z.string().nullish().meta({
    description: 'A `data:` URL of a PNG, JPEG, WebP or GIF, or an https URL on a host that the operator allows.',
  }),
  file_id: shared.notOffered(undefined, { code: 'unsupported_content', says: 'No files are kept here; send the image in image_url.' }),
  detail: z.string().nullish(),
});
const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });
const PARTS = 'a string or an array of parts';
const part = noted(z.discriminatedUnion('type', [textPart('input_text'), textPart('output_text'), image, refusal]), {
  unknownOption: unsupported('Only text and images are understood.'),
});
const content = noted(z.union([z.string(), z.array(part).max(MAX_PARTS)]), { expected: PARTS });
/** What a tool returned. */
const output = noted(z.union([z.string(), z.array(part).max(MAX_PARTS)]), { expected: PARTS });

const ids = { id: z.unknown().optional(), status: z.unknown().optional() };
const spokenParts = (type: string) => z.array(z.looseObject({ type: z.literal(type).nullish(), text: z.string() })).max(MAX_PARTS);

const Message = z.object({
  type: z.literal('message').nullish(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content,
  ...ids,
});
const callOf = <T extends string, F extends z.core.$ZodLooseShape>(type: T, fields: F) =>
  z.object({ type: z.literal(type), call_id: filled, name: filled, namespace: z.string().nullish(), ...fields, ...ids });
const outputOf = <T extends string>(type: T) => z.object({ type: z.literal(type), call_id: filled, output, ...ids });

const Reasoning = z.object({
  type: z.literal('reasoning'),
  summary: spokenParts('summary_text').nullish(),
  content: spokenParts('reasoning_text').nullish(),
  encrypted_content: z.string().nullish().meta({ description: 'Only that of an answer from here is understood.' }),
  ...ids,
});

/** Items of the contract's own service, which are not supported here. */
const ELSEWHERE =
  /^(compaction|compaction_trigger|additional_tools|configuration_update|(tool_search|web_search|file_search|code_interpreter|computer|image_generation|mcp|local_shell|shell|apply_patch|program)(_[a-z_]+)?)$/;

function unknownItem({ type }: JsonObject): UnknownOption | undefined {
  if (typeof type !== 'string' || !ELSEWHERE.test(type)) return undefined;
  return { code: 'unsupported_content', says: `'${type}' comes from a tool that this server does not run.` };
}

/** One item of the conversation. */
export const InputItem = noted(
  z
    .discriminatedUnion('type', [
      Message,
      callOf('function_call', {
        arguments: z.string().nullish().meta({ description: 'JSON text of an object.' }),
      }),
      outputOf('function_call_output'),
      callOf('custom_tool_call', { input: z.string() }),
      outputOf('custom_tool_call_output'),
      Reasoning,
      z.object({ type: z.literal('item_reference'), id: z.string() }),
    ])
    .meta({ id: 'ResponseInputItem' }),
  { unknownOption: unknownItem },
);
export type InputItem = z.output<typeof InputItem>;

/** The conversation and structured fields. They are checked last. */
export const Structure = z.object({
  input: noted(z.union([z.string(), z.array(InputItem).min(1).max(MAX_ITEMS)]), {
    expected: `a string or an array of 1 to ${MAX_ITEMS} items`,
  }),
  ...ResponsesTools.shape,
  text: z.object({ format: format.nullish(), verbosity: z.unknown().optional() }).nullish(),
  structured_outputs: structuredOutputs.nullish(),
  stop: stop.nullish(),
  chat_template_kwargs: templateArgs.nullish(),
});

/** The body of a request. Other fields are ignored. */
export const ResponsesBody = z
  .object({ ...ChatFields.shape, ...NotOffered.shape, ...Settings.shape, ...Structure.shape })
  .meta({ id: 'ResponseRequest' });
