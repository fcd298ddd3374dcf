import { z } from 'zod';
import { type JsonObject, noted, type UnknownOption } from '../shared/faults.js';
import * as shared from '../shared/fields.js';

const MAX_MESSAGES = 100_000;
const MAX_TOOLS = 1_000;
const MAX_STOPS = 256;
const MAX_STOP_CHARS = 1024;
const MAX_USER_ID_CHARS = 4_096;
const MAX_METADATA_CHARS = 16 * 1024;
/** The contract's least thinking budget, in tokens. */
const MIN_THINKING_TOKENS = 1024;

/** A null gets `invalid_type` instead of counting as absent. */
const NULL_IS_WRONG = { absent: 'undefined' } as const;

const flag = z.boolean().nullish();
const text = z.string().nullish();
const listOfMessages = <T extends z.ZodType>(message: T): z.ZodArray<T> => z.array(message).min(1).max(MAX_MESSAGES);
const efforts = z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish();

const display = z.enum(['summarized', 'omitted']).nullish();
const Thinking = noted(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('enabled'), budget_tokens: noted(z.int().min(MIN_THINKING_TOKENS), NULL_IS_WRONG), display }),
    z.object({ type: z.literal('adaptive'), display }),
    z.object({ type: z.literal('between_tools'), display }),
    z.object({ type: z.literal('disabled') }),
  ]),
  NULL_IS_WRONG,
);
const stopText = noted(
  z
    .string()
    .max(MAX_STOP_CHARS)
    .refine((stop) => stop.trim() !== ''),
  { ...NULL_IS_WRONG, expected: `a string of at most ${MAX_STOP_CHARS} characters that is more than whitespace` },
);

/** Plain fields. They are checked first, in this order. */
export const MessagesSettings = z.object({
  model: shared.modelName.meta({ description: 'A name of the deployment in the URL: its slug, an alias of it, or `account/alias`.' }),
  max_tokens: z.int().min(0).meta({
    description: 'A limit above the context means as much as fits. 0 evaluates the prompt and answers with an empty message.',
  }),
  messages: listOfMessages(z.unknown()),
  stream: flag.meta({ description: 'The answer as server-sent events.' }),

  temperature: shared.temperature.nullish(),
  top_p: shared.topP.nullish(),
  top_k: z.int().min(0).max(shared.MAX_INT32).nullish(),
  stop_sequences: z.array(stopText).max(MAX_STOPS).nullish(),
  thinking: Thinking.nullish().meta({ description: 'Off unless it is asked for.' }),

  output_config: z.object({ effort: efforts }).nullish(),
  // Accepted without an effect.
  metadata: z
    .looseObject({ user_id: z.string().max(MAX_USER_ID_CHARS).nullish() })
    .refine((metadata) => JSON.stringify(metadata).length <= MAX_METADATA_CHARS, {
      error: `must be at most ${MAX_METADATA_CHARS} characters of JSON`,
    })
    .nullish(),
  service_tier: z.string().max(64).nullish(),
});
/** The same for `count_tokens`, which needs no `max_tokens`. */
export const CountSettings = MessagesSettings.extend({ max_tokens: MessagesSettings.shape.max_tokens.nullish() });

const notOffered = () => shared.notOffered(shared.isEmpty, { says: 'Not supported; send the request without it.' });

/** Fields that would change the answer and are not supported, unless they are empty. */
export const MessagesNotOffered = z.object({
  container: notOffered(),
  mcp_servers: notOffered(),
  compaction: notOffered(),
  fallbacks: notOffered(),
});

/** Block types of the contract's own service, which are not supported here. */
const KNOWN_ELSEWHERE = /^(server_tool_use|[a-z_]+_tool_result|container_upload|mcp_[a-z_]+|compaction)$/;

/** The fault of a block in the wrong place. @param place its container, such as `a user message`. */
const misplacedIn =
  (place: string) =>
  ({ type }: JsonObject): UnknownOption => {
    if (typeof type !== 'string') return { code: 'invalid_type', expected: 'a string' };
    const isKnown = KNOWN_ELSEWHERE.test(type);
    const says = isKnown ? 'No tool runs here; this block cannot be understood.' : `No block of this type can stand in ${place}.`;
    return { code: 'unsupported_content', says };
  };

type Options = readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]];
/** A string, or at least `min` blocks of these types. */
function contentOf<const O extends Options>(place: string, min: 0 | 1, ...blocks: O) {
  const note = { code: 'invalid_value', says: `The content of ${place} must not be empty.` } as const;
  const block = noted(z.discriminatedUnion('type', blocks), { unknownOption: misplacedIn(place) });
  return noted(z.union([noted(z.string().min(min), note), noted(z.array(block).min(min), note)]), {
    expected: 'a string or an array of blocks',
  });
}

const TextBlock = z.object({ type: z.literal('text'), text: z.string() });

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const ImageBlock = z.object({
  type: z.literal('image'),
  source: noted(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('base64'), media_type: shared.keyword(IMAGE_TYPES), data: z.string().meta({ minLength: 1 }) }),
      z.object({
        type: z.literal('url'),
        url: z.string().meta({ description: 'A `data:` URL, or an https URL on a host that the operator allows.' }),
      }),
    ]),
    { unknownOption: sourceOf('Send the image as base64; no files are kept here.') },
  ),
});

function sourceOf(says: string): (source: JsonObject) => UnknownOption {
  return ({ type }) => (typeof type === 'string' ? { code: 'unsupported_content', says } : { code: 'invalid_type', expected: 'a string' });
}

const DocumentBlock = z.object({
  type: z.literal('document'),
  title: text,
  context: text,
  source: noted(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), data: z.string() }),
      z.object({ type: z.literal('content'), content: contentOf('a document', 0, TextBlock, ImageBlock) }),
    ]),
    { unknownOption: sourceOf('Only documents of text or content blocks can be read here.') },
  ),
});
const SearchResultBlock = z.object({
  type: z.literal('search_result'),
  title: z.string(),
  source: z.string(),
  content: contentOf('a search result', 0, TextBlock),
});
const ToolReferenceBlock = z.object({
  type: z.literal('tool_reference'),
  tool_name: z.string().meta({ description: 'A tool whose loading was deferred.' }),
});
const ToolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string().meta({ description: 'Of a call in the assistant message before.' }),
  is_error: flag,
  content: contentOf('a tool result', 0, TextBlock, ImageBlock, DocumentBlock, SearchResultBlock, ToolReferenceBlock).nullish(),
});
/** An id or a name, which the model may choose freely. */
const given = noted(
  z
    .string()
    .refine((value) => value !== '' && !value.includes('\u0000'))
    .meta({ minLength: 1 }),
  { expected: 'a string that is neither empty nor holds a NUL' },
);
const ToolUseBlock = z.object({ type: z.literal('tool_use'), id: given, name: given, input: z.record(z.string(), z.unknown()).nullish() });
const ThinkingBlock = z.object({
  type: z.literal('thinking'),
  thinking: text,
  signature: shared.unchecked('string').meta({ description: 'Never looked at.' }),
});
const RedactedBlock = z.object({ type: z.literal('redacted_thinking') });

export type TextBlock = z.output<typeof TextBlock>;
export type ImageBlock = z.output<typeof ImageBlock>;
export type DocumentBlock = z.output<typeof DocumentBlock>;
export type ToolReferenceBlock = z.output<typeof ToolReferenceBlock>;
export type SearchResultBlock = z.output<typeof SearchResultBlock>;
export type ToolResultBlock = z.output<typeof ToolResultBlock>;

const MessageParam = z
  .discriminatedUnion('role', [
    z.object({
      role: z.literal('user'),
      content: contentOf('a user message', 1, TextBlock, ImageBlock, DocumentBlock, SearchResultBlock, ToolResultBlock),
    }),
    z.object({
      role: z.literal('assistant'),
      content: contentOf('an assistant message', 0, TextBlock, ToolUseBlock, ThinkingBlock, RedactedBlock),
    }),
    z.object({ role: z.literal('system'), content: contentOf('a system message', 0, TextBlock) }),
  ])
  .meta({ id: 'MessageParam' });
export type MessageParam = z.output<typeof MessageParam>;

const SystemPrompt = contentOf('the system prompt', 0, TextBlock).meta({ id: 'SystemPrompt' });
export type SystemPrompt = z.output<typeof SystemPrompt>;

/** The conversation. It is checked after the plain fields. */
export const MessagesConversation = z.object({ system: SystemPrompt.nullish(), messages: listOfMessages(MessageParam) });

const MessagesTool = z
  .object({
    type: shared.keyword(['custom'], { code: 'unsupported_value', says: 'Only custom tools can be called.' }).nullish(),
    name: shared.toolName,
    description: text,
    strict: flag.meta({ description: 'Calls are held to the schema where the engine can.' }),
    input_schema: shared.jsonSchema({ type: shared.keyword(['object']) }).meta({ description: 'A JSON schema of the type `object`.' }),
    defer_loading: flag.meta({ description: 'The model is not shown the tool until a `tool_reference` names it.' }),
  })
  .meta({ id: 'MessagesTool' });

const oneCall = flag.meta({ description: 'One call at most.' });

/** The tools and how they may be used. They are checked after the conversation. */
export const MessagesTools = z.object({
  tools: z.array(MessagesTool).max(MAX_TOOLS).nullish(),
  tool_choice: noted(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('auto'), disable_parallel_tool_use: oneCall }),
      z.object({ type: z.literal('any'), disable_parallel_tool_use: oneCall }),
      z.object({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use: oneCall }),
      z.object({ type: z.literal('none'), disable_parallel_tool_use: oneCall }),
    ]),
    { unknownOption: ({ type }) => (typeof type === 'string' ? undefined : { code: 'invalid_type', expected: 'a string' }) },
  ).nullish(),
});

const format = z.object({
  type: shared.keyword(['json_schema'], { code: 'unsupported_value' }),
  schema: shared.jsonSchema({}),
});

/** The output format. It is checked last. */
export const MessagesOutput = z.object({ output_config: z.object({ effort: efforts, format: format.nullish() }).nullish() });
/** The older name of `output_config.format`, used only where that is absent. */
export const MessagesOlderOutput = z.object({
  output_format: format.nullish().meta({ description: 'The older name of `output_config.format`.' }),
});

const SHAPE = {
  ...MessagesSettings.shape,
  ...MessagesNotOffered.shape,
  ...MessagesConversation.shape,
  ...MessagesTools.shape,
  ...MessagesOutput.shape,
  ...MessagesOlderOutput.shape,
};

/** The body of a messages request. Other fields are ignored. */
export const MessageBody = z.object(SHAPE).meta({ id: 'MessageRequest' });
/** The body of `count_tokens`: the same, with optional `max_tokens`. */
export const CountBody = z.object({ ...SHAPE, ...CountSettings.pick({ max_tokens: true }).shape }).meta({ id: 'TokenCountRequest' });
