import type { CanonicalMessage, CanonicalRequest } from '@slipway/contracts';
import { type Fields, fault, isAbsent, optionalFlag, requireObject, wrongType } from './chat.fault.js';

const ARGS = 'chat_template_kwargs';
const MAX_ARGS = 64;
const MAX_ARG_CHARS = 4096;
/** What a template gets from the request itself, and what would choose another template. */
const RESERVED: ReadonlySet<string> = new Set([
  'messages',
  'conversation',
  'tools',
  'documents',
  'chat_template',
  'tokenize',
  'return_dict',
  'add_generation_prompt',
  'continue_final_message',
  'bos_token',
  'eos_token',
]);

/**
 * Arguments for the chat template: a plain object of scalars.
 * @throws ServiceError naming the one that is wrong.
 */
export function readTemplateArgs(body: Fields): Pick<CanonicalRequest, 'template_args'> {
  if (isAbsent(body[ARGS])) return {};
  const entries = Object.entries(requireObject(body[ARGS], ARGS)).filter(([, value]) => !isAbsent(value));
  if (entries.length > MAX_ARGS) throw fault('invalid_value', ARGS, `'${ARGS}' may hold at most ${MAX_ARGS} arguments.`);
  return entries.length === 0 ? {} : { template_args: Object.fromEntries(entries.map(([name, value]) => [name, scalarOf(name, value)])) };
}

function scalarOf(name: string, value: unknown): string | number | boolean {
  // The name is the client's own text, so only the object is named.
  if (RESERVED.has(name)) throw fault('unsupported_value', ARGS, `'${ARGS}' may not set '${name}'.`);
  if (name === 'enable_thinking' && typeof value !== 'boolean') throw wrongType(`${ARGS}.enable_thinking`, 'a boolean');
  if (typeof value === 'string' && value.length > MAX_ARG_CHARS) {
    throw fault('invalid_value', ARGS, `The texts in '${ARGS}' may have at most ${MAX_ARG_CHARS} characters.`);
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw fault('invalid_type', ARGS, `'${ARGS}' may hold only strings, numbers and booleans.`);
  }
  return value;
}

/**
 * Whether the answer goes on with the last message instead of beginning a turn.
 * @throws ServiceError when there is nothing to go on with, or both are asked for.
 */
export function readContinuation(body: Fields, messages: readonly CanonicalMessage[]): Pick<CanonicalRequest, 'continue_final'> {
  const continues = optionalFlag(body['continue_final_message'], 'continue_final_message') ?? false;
  const begins = optionalFlag(body['add_generation_prompt'], 'add_generation_prompt');
  if (!continues && begins === false) {
    throw fault('unsupported_value', 'add_generation_prompt', 'An answer begins a turn, or goes on with one by continue_final_message.');
  }
  if (!continues) return {};
  if (begins === true) {
    throw fault('invalid_value', 'continue_final_message', "'continue_final_message' cannot be combined with 'add_generation_prompt'.");
  }
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || last.tool_calls) {
    throw fault('invalid_value', 'continue_final_message', 'The last message must be a text of the assistant to go on with.');
  }
  return { continue_final: true };
}
