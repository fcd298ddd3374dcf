import type { CanonicalMessage, ContentPart, TextPart, ToolCall } from '@slipway/contracts';
import { z } from 'zod';
import { callArguments } from '../shared/call-arguments.js';
import { fault, WORDING } from '../shared/error-object.js';
import { isAbsent, type JsonObject, noted, type UnknownOption } from '../shared/faults.js';
import { imageSource, notOffered, textPart, unchecked } from '../shared/fields.js';

/** Texts of messages, and of their parts. */
export const CHAT_TEXTS: ReadonlySet<string> = new Set(['messages\n\ncontent', 'messages\n\ncontent\n\ntext']);

/** Calls of one message. */
const MAX_CALLS = 128;
const MAX_NAME_CHARS = 256;

const filled = z.string().min(1);

/** Unsupported part types, each with its content in a member of the same name. */
const OTHER_PARTS: ReadonlySet<unknown> = new Set(['input_audio', 'file', 'video_url', 'audio_url']);

function unknownPart({ type }: JsonObject): UnknownOption {
  const code = 'unsupported_content';
  if (type === 'image_url') return { code, member: type, says: 'Images can only stand in messages of the role user.' };
  if (OTHER_PARTS.has(type)) return { code, member: String(type), says: 'Only text and images are understood.' };
  return { code };
}

/** Text of a part. An absent one gets `invalid_type`. */
const partText = noted(z.string(), { absent: 'never' });
const textSchema = z.object({ type: z.literal('text'), text: partText });
const imageSchema = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    detail: z.enum(['auto', 'low', 'high']).nullish(),
    url: z.string().meta({ description: 'A `data:` URL of a PNG, JPEG, WebP or GIF, or an https URL on a host that the operator allows.' }),
  }),
});
const refusalSchema = z.object({ type: z.literal('refusal'), refusal: partText });

type Options = readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]];
const stringOrParts = <const O extends Options>(min: number, ...parts: O) =>
  noted(z.union([z.string(), z.array(noted(z.discriminatedUnion('type', parts), { unknownOption: unknownPart })).min(min)]), {
    absent: 'undefined',
    expected: 'a string or an array of parts',
  });
const textOrParts = stringOrParts(1, textSchema);

const name = noted(z.string().max(MAX_NAME_CHARS), { code: 'invalid_value' }).nullish();
const replacedCall = notOffered(undefined, {
  code: 'unsupported_content',
  says: 'Function calls were replaced by tools and are not supported.',
});
const ChatCall = z.object({
  type: noted(z.literal('function'), {
    code: 'unsupported_content',
    says: 'Only calls of the type "function" are supported.',
  }).nullish(),
  id: filled,
  function: z.object({
    name: filled,
    // Some clients send the object itself.
    arguments: z.union([z.string().meta({ description: 'JSON text of an object.' }), z.record(z.string(), z.unknown())]).nullish(),
  }),
});

const ChatSystemMessage = z.object({ role: z.enum(['system', 'developer']), name, content: textOrParts }).meta({ id: 'ChatSystemMessage' });
const ChatUserMessage = z
  .object({ role: z.literal('user'), name, content: stringOrParts(1, textSchema, imageSchema) })
  .meta({ id: 'ChatUserMessage' });
const ChatAssistantMessage = z
  .object({
    role: z.literal('assistant'),
    name,
    audio: notOffered(undefined, { code: 'unsupported_content', says: 'Audio is not supported.' }),
    function_call: replacedCall,
    tool_calls: z.array(ChatCall).max(MAX_CALLS).nullish(),
    reasoning_content: z
      .string()
      .nullish()
      .meta({ description: 'What the model thought in that turn. `reasoning` is another name for it.' }),
    reasoning: z.unknown().optional(),
    content: stringOrParts(0, textSchema, refusalSchema).nullish(),
    refusal: unchecked('string'),
  })
  .meta({ id: 'ChatAssistantMessage' });
const ChatToolMessage = z
  .object({ role: z.literal('tool'), name, tool_call_id: filled, content: textOrParts })
  .meta({ id: 'ChatToolMessage' });

function unknownRole({ role }: JsonObject): UnknownOption | undefined {
  if (typeof role !== 'string') return { code: 'invalid_type', expected: 'a string' };
  const says = 'Messages of the role function were replaced by tools and are not supported.';
  return role === 'function' ? { code: 'unsupported_content', says } : undefined;
}

/** One message of a conversation. */
export const ChatMessage = noted(
  z.discriminatedUnion('role', [ChatSystemMessage, ChatUserMessage, ChatAssistantMessage, ChatToolMessage]).meta({ id: 'ChatMessage' }),
  { unknownOption: unknownRole },
);
export type ChatMessage = z.output<typeof ChatMessage>;

type Message<R extends CanonicalMessage['role']> = Extract<CanonicalMessage, { role: R }>;
type Assistant = Extract<ChatMessage, { role: 'assistant' }>;
type Parts = Exclude<ChatMessage['content'], string | null | undefined>;
type Call = NonNullable<Assistant['tool_calls']>[number];

/**
 * Converts the messages of a conversation that the schema has accepted.
 * @param imageHosts hosts that images may be fetched from.
 * @throws ServiceError naming a part that is still invalid.
 */
export function readConversation(messages: readonly ChatMessage[], imageHosts: readonly string[]): CanonicalMessage[] {
  return messages.map((message, i) => {
    const read = readMessage(message, i, imageHosts);
    return isAbsent(message.name) ? read : { name: message.name, ...read };
  });
}

function readMessage(message: ChatMessage, i: number, imageHosts: readonly string[]): CanonicalMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message.content) };
    case 'user':
      return { role: 'user', content: userContent(message.content, i, imageHosts) };
    case 'assistant':
      return readAssistant(message, i);
    case 'tool':
      return { role: 'tool', content: textOf(message.content), tool_call_id: message.tool_call_id };
  }
}

/** Joins text parts, since some engines make a turn of each part. */
function textOf(content: string | Parts): TextPart[] {
  if (typeof content === 'string') return [textPart(content)];
  let text = '';
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'refusal') text += part.refusal;
  }
  return [textPart(text)];
}

/** Keeps parts separate only around images. */
function userContent(content: string | Parts, message: number, imageHosts: readonly string[]): ContentPart[] {
  if (typeof content === 'string' || !content.some(({ type }) => type === 'image_url')) return textOf(content);
  return content.flatMap((part, i): ContentPart[] => {
    if (part.type !== 'image_url') return textOf([part]);
    const source = imageSource(part.image_url.url, imageHosts);
    if ('url' in source) return [{ type: 'image', url: source.url }];
    const param = `messages[${message}].content[${i}].image_url`;
    throw fault('unsupported_content', param, `'${param}' ${source.fault}.`);
  });
}

function readAssistant(message: Assistant, i: number): Message<'assistant'> {
  const { tool_calls: given } = message;
  const calls = given && given.length > 0 ? given.map((call, c) => readCall(call, `messages[${i}].tool_calls[${c}]`)) : undefined;
  const read: Message<'assistant'> = { role: 'assistant', content: assistantContent(message, i) };
  const reasoning = reasoningOf(message);
  if (reasoning === undefined && calls === undefined) return read;
  return { ...read, ...(reasoning !== undefined && { reasoning }), ...(calls && { tool_calls: calls }) };
}

/** Beside calls, content may be empty. Without content, a refusal is used. */
function assistantContent({ content, refusal, tool_calls: calls }: Assistant, i: number): TextPart[] {
  const isNothing = isAbsent(content) || content.length === 0;
  if (!isNothing) return textOf(content);
  const at = `messages[${i}]`;
  if (!isAbsent(refusal)) {
    if (typeof refusal === 'string') return [textPart(refusal)];
    throw fault('invalid_type', `${at}.refusal`, `'${at}.refusal' must be a string.`);
  }
  if (calls && calls.length > 0) return [];
  const param = `${at}.content`;
  if (content === '') return [textPart('')];
  if (content === undefined) throw WORDING.error({ code: 'missing_required_parameter', path: [], expected: null }, param);
  const expected = "a string, or an array with at least one part, where there are no 'tool_calls'";
  throw WORDING.error({ code: content === null ? 'invalid_type' : 'empty_array', path: [], expected }, param);
}

/** Servers of this contract use two names. An object under the second one is ignored. */
function reasoningOf({ reasoning_content: content, reasoning }: Assistant): string | undefined {
  const text = content ?? (typeof reasoning === 'string' ? reasoning : undefined);
  return text === '' ? undefined : text;
}

function readCall({ id, function: { name, arguments: given } }: Call, at: string): ToolCall {
  return { id, name, arguments: callArguments(given, `${at}.function.arguments`) };
}
