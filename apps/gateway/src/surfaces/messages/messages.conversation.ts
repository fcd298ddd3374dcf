import type { RequestPolicy } from '../surface.js';
import { readTexts } from './blocks/text-block.js';
import { readAssistant } from './messages.assistant.js';
import { fault } from './messages.fault.js';
import { requireObject, requirePresent } from './messages.fields.js';
import { readSystem } from './messages.system.js';
import { type Conversation, Turns } from './messages.turns.js';
import { readUser } from './messages.user.js';

/**
 * Reads a conversation as turns that every chat template takes: one system message at most, first; then user and
 * assistant in turns, with the results of calls right after them.
 * @throws ServiceError naming the part that is wrong or not supported.
 */
export function readConversation(system: unknown, messages: readonly unknown[], policy: RequestPolicy): Conversation {
  const turns = new Turns(readSystem(system));
  for (const [i, message] of messages.entries()) addMessage(turns, message, `messages.${i}`, policy);
  return turns.end();
}

function addMessage(turns: Turns, message: unknown, at: string, policy: RequestPolicy): void {
  const { role, content } = requireObject(message, at);
  requirePresent(role, `${at}.role`);
  requirePresent(content, `${at}.content`);
  if (role === 'user') turns.user(readUser(content, `${at}.content`, policy));
  else if (role === 'assistant') turns.assistant(readAssistant(content, at));
  else if (role === 'system') turns.instruction(readTexts(content, `${at}.content`, 'a system message'));
  else throw fault('invalid_value', `${at}.role`, 'Expected user, assistant or system.');
}
