import { type CanonicalMessage, type ContentPart, ServiceError, textOf, type ToolCall } from '@slipway/contracts';
import { isJsonObject } from '@slipway/engine';
import type { FlavourTraits } from './flavour.js';

type Fields = Record<string, unknown>;

/** Text alone as one string: Ollama makes a message of each part, and templates expect strings. */
function contentOf(message: CanonicalMessage): string | Fields[] {
  const parts: readonly ContentPart[] = message.content;
  if (!parts.some(({ type }) => type === 'image')) return textOf(message);
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image_url', image_url: { url: part.url } },
  );
}

/**
 * The arguments of a call in the history, as JSON text of an object.
 * @throws ServiceError when they are anything else: chat templates read an object, and servers fail on the rest, each in its own way.
 */
export function callArguments({ arguments: args }: ToolCall): string {
  const text = args.trim() === '' ? '{}' : args;
  if (isJsonObject(text)) return text;
  throw new ServiceError('invalid_value', 'The arguments of a tool call in the history are not a JSON object.', { param: 'messages' });
}

const callField = (call: ToolCall): Fields => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: callArguments(call) },
});

function roleFields(message: CanonicalMessage, { reasoningField }: FlavourTraits): Fields {
  if (message.role === 'tool') return { tool_call_id: message.tool_call_id };
  if (message.role !== 'assistant') return {};
  const { reasoning, tool_calls: calls } = message;
  return {
    ...(reasoning !== undefined && reasoningField !== null && { [reasoningField]: reasoning }),
    ...(calls !== undefined && { tool_calls: calls.map(callField) }),
  };
}

/**
 * A conversation as a server of the chat-completions contract reads it.
 * @throws ServiceError for a call whose arguments are not an object.
 */
export function messageFields(messages: readonly CanonicalMessage[], traits: FlavourTraits): Fields[] {
  return messages.map((message) => ({
    role: message.role,
    content: contentOf(message),
    ...(message.name !== undefined && { name: message.name }),
    ...roleFields(message, traits),
  }));
}
