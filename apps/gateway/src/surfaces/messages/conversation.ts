import type { ContentPart, ImagePart, ToolCall } from '@slipway/contracts';
import { isAbsent } from '../shared/faults.js';
import { imageSource, textPart } from '../shared/fields.js';
import {
  type AssistantMessage,
  type Conversation,
  type EarlierCall,
  type ToolResult,
  type TurnFaults,
  Turns,
  type UserMessage,
} from '../shared/turns.js';
import type { RequestPolicy } from '../surface.js';
import { fault } from './errors.js';
import type {
  DocumentBlock,
  ImageBlock,
  MessageParam,
  SearchResultBlock,
  SystemPrompt,
  TextBlock,
  ToolReferenceBlock,
  ToolResultBlock,
} from './schema.js';

type User = Extract<MessageParam, { role: 'user' }>;
type Assistant = Extract<MessageParam, { role: 'assistant' }>;
type Spoken = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock;

/** Texts of messages, of their blocks, and of the results among those. The system prompt's first line is looked at. */
export const MESSAGES_TEXTS: ReadonlySet<string> = new Set([
  'messages\n\ncontent',
  'messages\n\ncontent\n\ntext',
  'messages\n\ncontent\n\ncontent',
  'messages\n\ncontent\n\ncontent\n\ntext',
]);

/** Some clients start the system prompt with a line that differs in each request and so breaks prefix caching. */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/**
 * Converts a conversation that the schema has accepted into turns for every chat template: at most one system message, first;
 * then user and assistant in turn, with tool results right after their calls.
 * @throws ServiceError naming a part that is still invalid.
 */
export function readConversation(
  system: SystemPrompt | null | undefined,
  messages: readonly MessageParam[],
  policy: RequestPolicy,
): Conversation {
  const turns = new Turns(promptOf(system), FAULTS);
  for (const [i, message] of messages.entries()) addMessage(turns, message, `messages.${i}`, policy);
  const conversation = turns.end(true);
  if (!conversation.hasUser) throw fault('invalid_value', 'messages', 'At least one user message is required.');
  return conversation;
}

const FAULTS: TurnFaults = {
  noCall: ({ at }) => fault('invalid_value', `${at}.tool_use_id`, 'There is no tool_use with this id in the assistant message before it.'),
  noResult: ({ at }) => fault('invalid_value', at, 'This tool_use has no tool_result in the user messages after it.'),
  repeatedId: ({ at }) => fault('invalid_value', `${at}.id`, 'Another tool_use of this turn has the same id.'),
};

function promptOf(system: SystemPrompt | null | undefined): string[] {
  if (isAbsent(system)) return [];
  return textsOf(system)
    .map((text) => text.replace(BILLING_LINE, ''))
    .filter((text) => text !== '');
}

function addMessage(turns: Turns, { role, content }: MessageParam, at: string, policy: RequestPolicy): void {
  if (role === 'user') turns.user(readUser(content, `${at}.content`, policy));
  else if (role === 'assistant') turns.assistant(readAssistant(content, at));
  else turns.instruction(textsOf(content));
}

/** The non-empty texts of a content of text blocks. */
function textsOf(content: string | readonly TextBlock[]): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  return content.map(({ text }) => text).filter((text) => text !== '');
}

const saysSomething = (part: ContentPart): boolean => part.type === 'image' || part.text !== '';

function readUser(content: User['content'], at: string, policy: RequestPolicy): UserMessage {
  if (typeof content === 'string') return { results: [], parts: [textPart(content)], firstImage: undefined };
  const results: ToolResult[] = [];
  const parts: ContentPart[] = [];
  let firstImage: string | undefined;
  for (const [i, block] of content.entries()) {
    const place = `${at}.${i}`;
    const result = block.type === 'tool_result' ? readResult(block, place, policy) : null;
    const read = result ? result.images : readSpoken(block as Spoken, place, policy);
    if (read.some(({ type }) => type === 'image')) firstImage ??= place;
    if (result) results.push(result);
    else for (const part of read.filter(saysSomething)) parts.push(part);
  }
  if (results.length + parts.length === 0) throw fault('invalid_value', at, 'The content of a user message must not be empty.');
  return { results, parts, firstImage };
}

/** The parts of a block in a user message or tool result. */
function readSpoken(block: Spoken, at: string, policy: RequestPolicy): ContentPart[] {
  switch (block.type) {
    case 'text':
      return [textPart(block.text)];
    case 'image':
      return [readImage(block, at, policy)];
    case 'document':
      return readDocument(block, at, policy);
    case 'search_result':
      return [textPart([block.title, block.source, ...textsOf(block.content)].join('\n'))];
  }
}

function readImage({ source }: ImageBlock, at: string, { imageHosts }: RequestPolicy): ImagePart {
  if (source.type === 'base64') {
    const image = imageSource(`data:${source.media_type};base64,${source.data}`, []);
    if ('url' in image) return { type: 'image', url: image.url };
    throw fault('invalid_value', `${at}.source.data`, 'Not valid base64.');
  }
  const image = imageSource(source.url, imageHosts);
  if ('url' in image) return { type: 'image', url: image.url };
  throw fault('invalid_value', `${at}.source.url`, `The URL ${image.fault}.`);
}

/** A document as its title, context and content. */
function readDocument({ title, context, source }: DocumentBlock, at: string, policy: RequestPolicy): ContentPart[] {
  const heading = [title, context].filter((text) => !isAbsent(text) && text !== '').join('\n');
  return [...(heading === '' ? [] : [textPart(heading)]), ...readSource(source, `${at}.source`, policy)];
}

function readSource(source: DocumentBlock['source'], at: string, policy: RequestPolicy): ContentPart[] {
  if (source.type === 'text') return [textPart(source.data)];
  if (typeof source.content === 'string') return source.content === '' ? [] : [textPart(source.content)];
  return source.content.flatMap((block, i) => readSpoken(block, `${at}.content.${i}`, policy));
}

function readResult({ tool_use_id: id, is_error: isError, content }: ToolResultBlock, at: string, policy: RequestPolicy): ToolResult {
  const blocks = isAbsent(content) ? [] : blocksOf(content);
  const parts = blocks.flatMap((block, i): ContentPart[] =>
    block.type === 'tool_reference' ? [textPart(block.tool_name)] : readSpoken(block, `${at}.content.${i}`, policy),
  );
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return {
    id,
    at,
    text: `${isError === true ? 'Error: ' : ''}${texts.join('\n')}`,
    images: parts.filter((part) => part.type === 'image'),
    tools: blocks.flatMap((block) => (block.type === 'tool_reference' ? [block.tool_name] : [])),
  };
}

const blocksOf = (content: string | (Spoken | ToolReferenceBlock)[]): (Spoken | ToolReferenceBlock)[] => {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
};

/** Joins the text blocks of an assistant message. */
function readAssistant(content: Assistant['content'], at: string): AssistantMessage {
  if (typeof content === 'string') return { text: content, thoughts: [], calls: [], at };
  let text = '';
  const thoughts: string[] = [];
  const calls: EarlierCall[] = [];
  for (const [i, block] of content.entries()) {
    if (block.type === 'text') text += block.text;
    else if (block.type === 'tool_use') calls.push({ at: `${at}.content.${i}`, ...callOf(block) });
    // Signatures are ignored, and redacted thinking cannot be read.
    else if (block.type === 'thinking' && !isAbsent(block.thinking) && block.thinking !== '') thoughts.push(block.thinking);
  }
  return { text, thoughts, calls, at };
}

const callOf = ({ id, name, input }: { id: string; name: string; input?: object | null | undefined }): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(input ?? {}),
});
