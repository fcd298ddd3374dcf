import type { CanonicalMessage } from '@slipway/contracts';
import { readText } from './messages.content.js';
import { fault } from './messages.fault.js';

type Fields = Readonly<Record<string, unknown>>;
type Role = 'system' | 'user' | 'assistant';

/** A turn that one or several messages make up. */
interface Turn {
  readonly role: 'user' | 'assistant';
  readonly texts: string[];
}

/** Between texts that were apart in the request; without it the last word of one would run into the first of the next. */
const GAP = '\n\n';
/** Some clients describe themselves in the first line of the system prompt, anew each time, which no cached prompt survives. */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const messageOf = (role: Role, text: string): CanonicalMessage => ({ role, content: [{ type: 'text', text }] });

/**
 * Reads system prompt and messages as turns that every chat template takes: one system message at most, first; then user
 * and assistant in turns.
 * @throws ServiceError naming the part that is wrong or not supported.
 */
export function readConversation(system: unknown, messages: readonly unknown[]): CanonicalMessage[] {
  const prompt = readSystem(system);
  const turns: Turn[] = [];
  for (const [i, message] of messages.entries()) addMessage(turns, prompt, message, `messages.${i}`);
  endWithUser(turns, messages.length - 1);
  const head = prompt.length === 0 ? [] : [messageOf('system', prompt.join(GAP))];
  return [...head, ...turns.map(({ role, texts }) => messageOf(role, texts.join(GAP)))];
}

function readSystem(system: unknown): string[] {
  if (system === undefined || system === null) return [];
  const texts = readText(system, 'system', 'system').map((text) => text.replace(BILLING_LINE, ''));
  return texts.filter((text) => text !== '');
}

function addMessage(turns: Turn[], prompt: string[], message: unknown, at: string): void {
  if (!isObject(message)) throw fault('invalid_type', at, 'Expected an object.');
  const role = readRole(message, at);
  const { content } = message;
  if (content === undefined || content === null) throw fault('missing_required_parameter', `${at}.content`, 'Field required');
  const texts = readText(content, role, `${at}.content`);
  if (role === 'system') addInstruction(turns, prompt, texts);
  else if (role === 'user') addUser(turns, texts, at);
  // The blocks of an answer are pieces of one text.
  else addTurn(turns, 'assistant', [texts.join('')]);
}

function readRole({ role }: Fields, at: string): Role {
  if (role === undefined || role === null) throw fault('missing_required_parameter', `${at}.role`, 'Field required');
  if (role === 'system' || role === 'user' || role === 'assistant') return role;
  throw fault('invalid_value', `${at}.role`, 'Expected user, assistant or system.');
}

/**
 * Templates take one system message, and only at the start; moving a later one there would change the prompt from its
 * beginning. So it becomes part of the user's turn where it stands.
 */
function addInstruction(turns: Turn[], prompt: string[], texts: readonly string[]): void {
  if (turns.length === 0) prompt.push(...texts);
  else if (texts.length > 0) addTurn(turns, 'user', texts);
}

function addUser(turns: Turn[], texts: readonly string[], at: string): void {
  if (texts.length === 0) throw fault('invalid_value', `${at}.content`, 'The content of a user message must not be empty.');
  addTurn(turns, 'user', texts);
}

function addTurn(turns: Turn[], role: Turn['role'], texts: readonly string[]): void {
  const last = turns.at(-1);
  if (last?.role === role) last.texts.push(...texts);
  else turns.push({ role, texts: [...texts] });
}

/** An answer that was begun would have to be continued word by word, which no engine is asked to do yet. */
function endWithUser(turns: Turn[], lastIndex: number): void {
  const last = turns.at(-1);
  if (last?.role === 'assistant') {
    if (last.texts.some((text) => text !== ''))
      throw fault('unsupported_content', `messages.${lastIndex}`, 'Answers cannot be continued yet; end with a user message.');
    turns.pop();
  }
  if (turns.length === 0) throw fault('invalid_value', 'messages', 'At least one user message is required.');
}
