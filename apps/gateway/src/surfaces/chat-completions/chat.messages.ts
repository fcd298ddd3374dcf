import type { CanonicalMessage } from '@slipway/contracts';
import { readCalls } from './chat.call-history.js';
import { type Fields, fault, isAbsent, missing, optionalText, requireObject, requireText, wrongType } from './chat.fault.js';
import { readText, readUserContent } from './chat.parts.js';

type Role = CanonicalMessage['role'];
type Message<R extends Role> = Extract<CanonicalMessage, { role: R }>;

const MAX_NAME_CHARS = 256;
const ROLES: Readonly<Record<string, Role>> = { system: 'system', developer: 'system', user: 'user', assistant: 'assistant', tool: 'tool' };

/**
 * Reads one message of a conversation.
 * @param at its name in the request, such as `messages[2]`.
 * @param imageHosts hosts that images may be fetched from.
 * @throws ServiceError naming the part that is wrong or not supported.
 */
export function readMessage(value: unknown, at: string, imageHosts: readonly string[]): CanonicalMessage {
  const message = requireObject(value, at);
  const role = readRole(message, at);
  const name = nameOf(message, at);
  switch (role) {
    case 'system':
      return { role, content: readText(message['content'], `${at}.content`), ...name };
    case 'user':
      return { role, content: readUserContent(message['content'], `${at}.content`, imageHosts), ...name };
    case 'assistant':
      return { ...readAssistant(message, at), ...name };
    case 'tool':
      return { ...readToolResult(message, at), ...name };
  }
}

function readRole({ role }: Fields, at: string): Role {
  const param = `${at}.role`;
  const text = requireText(role, param);
  if (text === 'function')
    throw fault('unsupported_content', param, 'Messages of the role function were replaced by tools and are not supported.');
  const known = Object.hasOwn(ROLES, text) ? ROLES[text] : undefined;
  if (!known) throw fault('invalid_value', param, `'${param}' must be system, developer, user, assistant or tool.`);
  return known;
}

function nameOf(message: Fields, at: string): { readonly name?: string } {
  const param = `${at}.name`;
  const name = message['name'];
  if (isAbsent(name)) return {};
  if (typeof name !== 'string' || name.length > MAX_NAME_CHARS) {
    throw fault('invalid_value', param, `'${param}' must be a string of at most ${MAX_NAME_CHARS} characters.`);
  }
  return { name };
}

function readAssistant(message: Fields, at: string): Message<'assistant'> {
  if (!isAbsent(message['audio'])) throw fault('unsupported_content', `${at}.audio`, 'Audio is not supported.');
  const calls = readCalls(message, at);
  const reasoning = reasoningOf(message, at);
  return {
    role: 'assistant',
    content: assistantContent(message, at, calls !== undefined),
    ...(reasoning !== undefined && { reasoning }),
    ...(calls && { tool_calls: calls }),
  };
}

/** Beside calls there may be nothing; a refusal is what was said where there is no content. */
function assistantContent(message: Fields, at: string, hasCalls: boolean): Message<'assistant'>['content'] {
  const { content, refusal } = message;
  const param = `${at}.content`;
  const isNothing = isAbsent(content) || content === '' || (Array.isArray(content) && content.length === 0);
  if (isNothing && !isAbsent(refusal)) return readText(requireText(refusal, `${at}.refusal`), `${at}.refusal`);
  if (isNothing && hasCalls) return [];
  if (content === null) throw wrongType(param, "a string or an array of parts where there are no 'tool_calls'");
  return readText(content, param, ['text', 'refusal']);
}

/** Two names for one thing are in the field; the second also stands for objects of other services, which mean nothing here. */
function reasoningOf({ reasoning_content: content, reasoning }: Fields, at: string): string | undefined {
  const text = optionalText(content, `${at}.reasoning_content`) ?? (typeof reasoning === 'string' ? reasoning : undefined);
  return text === '' ? undefined : text;
}

function readToolResult(message: Fields, at: string): Message<'tool'> {
  const param = `${at}.tool_call_id`;
  const id = requireText(message['tool_call_id'], param);
  if (id === '') throw missing(param);
  return { role: 'tool', content: readText(message['content'], `${at}.content`), tool_call_id: id };
}
