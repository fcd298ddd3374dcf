import { type CanonicalMessage, type JsonObject, type Role, isObject } from '../example.js';
import { shown } from '../rules.js';
import type { Reading } from './reading.js';
import { callsOf } from './tools.js';

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  // What newer models of OpenAI call it.
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};
const KNOWN_ROLES = 'system, user, assistant, tool';

/** A list of messages in a file: its name in messages, such as `messages`, and how few it may hold. */
export interface MessageList {
  readonly name: string;
  readonly least: number;
}

/** The text of a content: itself, or text parts joined. Null = it is no text. */
function textOfContent(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  let text = '';
  for (const part of content as readonly unknown[]) {
    if (!isObject(part) || part['type'] !== 'text' || typeof part['text'] !== 'string') return null;
    text += part['text'];
  }
  return text;
}

function contentOf(reading: Reading, raw: JsonObject, role: Role, at: string): string {
  const given = raw['content'];
  const hasCalls = role === 'assistant' && Array.isArray(raw['tool_calls']) && raw['tool_calls'].length > 0;
  if (given == null && role === 'assistant') {
    if (!hasCalls) reading.log.report('missing_content', at, at);
    return '';
  }
  const text = typeof given === 'string' ? given : textOfContent(given);
  if (text === null) reading.log.report('content_type', `${at}.content`, `${at}.content`);
  else if (text === '' && role === 'assistant' && !hasCalls) reading.log.report('empty_assistant', at, at);
  return text ?? '';
}

function optionalText(reading: Reading, value: unknown, at: string): string | null {
  if (value == null) return null;
  if (typeof value === 'string') return value;
  reading.log.report('content_type', at, at);
  return null;
}

function learnedOf(reading: Reading, weight: unknown, at: string): boolean {
  if (weight == null || weight === 1) return true;
  if (weight !== 0) reading.log.report('bad_weight', `${at}.weight`, at);
  return false;
}

function messageOf(reading: Reading, raw: JsonObject, at: string): CanonicalMessage | null {
  const given = raw['role'];
  const role = typeof given === 'string' && Object.hasOwn(ROLES, given) ? ROLES[given] : undefined;
  if (!role) {
    reading.log.report('bad_role', `${at}.role`, at, typeof given === 'string' ? shown(given) : '', KNOWN_ROLES);
    return null;
  }
  const isAssistant = role === 'assistant';
  return {
    role,
    content: contentOf(reading, raw, role, at),
    name: optionalText(reading, raw['name'], `${at}.name`),
    reasoning: isAssistant
      ? optionalText(reading, raw['reasoning_content'] ?? raw['reasoning'] ?? raw['thinking'], `${at}.reasoning_content`)
      : null,
    calls: isAssistant ? callsOf(reading, raw['tool_calls'], at) : [],
    callId: role === 'tool' ? optionalText(reading, raw['tool_call_id'], `${at}.tool_call_id`) : null,
    // Only answers are learned: another weight says nothing.
    learned: learnedOf(reading, raw['weight'], at) || !isAssistant,
  };
}

/** The messages of a list; faults are reported, and null is returned where there is no list. */
export function messagesOf(reading: Reading, raw: unknown, list: MessageList): CanonicalMessage[] | null {
  if (!Array.isArray(raw) || !raw.every(isObject)) {
    reading.log.report('missing_messages', list.name, list.name, list.least);
    return null;
  }
  if (raw.length < list.least) {
    reading.log.report('empty_messages', list.name, list.name, list.least);
    return null;
  }
  const messages: CanonicalMessage[] = [];
  for (let i = 0; i < raw.length; i += 1) {
    const message = messageOf(reading, raw[i] as JsonObject, `${list.name}[${i}]`);
    if (message) messages.push(message);
  }
  return messages;
}

/** A message of plain text. */
export const plainMessage = (role: Role, content: string): CanonicalMessage => ({
  role,
  content,
  name: null,
  reasoning: null,
  calls: [],
  callId: null,
  learned: true,
});

/** Reports an order of roles that templates or training do not expect. */
export function checkOrder(reading: Reading, messages: readonly CanonicalMessage[], at: (i: number) => string): void {
  let repeated = false;
  let lateSystem = false;
  for (let i = 1; i < messages.length; i += 1) {
    const { role } = messages[i] as CanonicalMessage;
    if (role === 'system' && !lateSystem) {
      lateSystem = true;
      reading.log.report('system_not_first', at(i));
    }
    if (!repeated && role === messages[i - 1]?.role && (role === 'user' || role === 'assistant')) {
      repeated = true;
      reading.log.report('order', at(i), role);
    }
  }
}

/** Reports conversations that have nothing to learn, or something behind it. */
export function checkLearning(reading: Reading, messages: readonly CanonicalMessage[], at: (i: number) => string): void {
  let assistants = 0;
  let learned = 0;
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    assistants += 1;
    if (message.learned) learned += 1;
  }
  const last = messages.at(-1)?.role;
  if (assistants === 0) reading.log.report('no_assistant', '');
  else if (learned === 0) reading.log.report('no_learned_turn', '');
  else if (last && last !== 'assistant') reading.log.report('ends_with_user', at(messages.length - 1), last);
}
