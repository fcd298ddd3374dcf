import { type CanonicalMessage, type ChatExample, type JsonObject, isObject } from '../example.js';
import { shown } from '../rules.js';
import { type MessageList, checkLearning, checkOrder, messagesOf, plainMessage } from './messages.js';
import { type Reading, nestedJson } from './reading.js';
import { checkCalls, offerOf } from './tools.js';

const MESSAGES: MessageList = { name: 'messages', least: 2 };
const atMessage = (i: number): string => `messages[${i}]`;

/** An example of messages that were read; reports what is wrong between them. */
function conversation(
  reading: Reading,
  messages: readonly CanonicalMessage[],
  offer: ReturnType<typeof offerOf>,
  at: (i: number) => string,
): ChatExample {
  // A message that could not be read is missing here: what follows from it would be reported twice.
  if (!reading.log.refused) {
    checkOrder(reading, messages, at);
    checkLearning(reading, messages, at);
    checkCalls(reading, messages, offer.names, at);
  }
  return { kind: 'sft', messages, tools: offer.tools, parallelToolCalls: offer.parallelToolCalls };
}

/** `messages`, `tools`, `parallel_tool_calls` of the chat-completions contract, with `weight`. */
export function chatOf(reading: Reading, value: JsonObject): ChatExample | null {
  const offer = offerOf(reading, value['tools'], value['parallel_tool_calls'], 'tools');
  const messages = messagesOf(reading, value['messages'], MESSAGES);
  return messages && conversation(reading, messages, offer, atMessage);
}

/** A text as one message, or a list of messages. */
export function sideOf(reading: Reading, raw: unknown, name: string, role: 'user' | 'assistant'): CanonicalMessage[] | null {
  if (typeof raw !== 'string') return messagesOf(reading, raw, { name, least: 1 });
  if (raw === '' && role === 'assistant') reading.log.report('empty_assistant', name, name);
  return [plainMessage(role, raw)];
}

/** `prompt` and `completion`, both text or messages; `system` may stand beside them. */
export function promptCompletionOf(reading: Reading, value: JsonObject): ChatExample | null {
  const offer = offerOf(reading, value['tools'], value['parallel_tool_calls'], 'tools');
  const prompt = sideOf(reading, value['prompt'], 'prompt', 'user');
  const completion = sideOf(reading, value['completion'], 'completion', 'assistant');
  const system = systemOf(reading, value['system']);
  if (!prompt || !completion) return null;
  const before = system.length + prompt.length;
  const at = (i: number): string => (i < before ? `prompt[${i - system.length}]` : `completion[${i - before}]`);
  return conversation(reading, [...system, ...prompt, ...completion], offer, at);
}

function systemOf(reading: Reading, raw: unknown): CanonicalMessage[] {
  if (raw == null || raw === '') return [];
  if (typeof raw === 'string') return [plainMessage('system', raw)];
  reading.log.report('content_type', 'system', 'system');
  return [];
}

function textField(reading: Reading, value: JsonObject, name: string): string {
  const text = value[name];
  if (typeof text === 'string') return text;
  reading.log.report('content_type', name, name);
  return '';
}

/** Earlier turns as pairs of question and answer, as LLaMA-Factory writes them. */
function historyOf(reading: Reading, raw: unknown): CanonicalMessage[] {
  if (raw == null) return [];
  const isPair = (pair: unknown): pair is [string, string] =>
    Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === 'string');
  if (Array.isArray(raw) && raw.every(isPair)) {
    return raw.flatMap(([question, answer]) => [plainMessage('user', question), plainMessage('assistant', answer)]);
  }
  reading.log.report('content_type', 'history', 'history');
  return [];
}

/** `instruction`, `input` and `output`; an input that is not empty stands below the instruction, after an empty line. */
export function alpacaOf(reading: Reading, value: JsonObject): ChatExample {
  const instruction = textField(reading, value, 'instruction');
  const input = value['input'] == null || value['input'] === '' ? '' : textField(reading, value, 'input');
  const output = textField(reading, value, 'output');
  if (output === '' && !reading.log.refused) reading.log.report('empty_assistant', 'output', 'output');
  const asked = [instruction, input].filter((text) => text !== '').join('\n\n');
  const messages = [
    ...systemOf(reading, value['system']),
    ...historyOf(reading, value['history']),
    plainMessage('user', asked),
    plainMessage('assistant', output),
  ];
  return conversation(reading, messages, offerOf(reading, undefined, undefined, 'tools'), atMessage);
}

const SHAREGPT_ROLES: Readonly<Record<string, string>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  chatgpt: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  function_call: 'assistant',
  tool: 'tool',
  observation: 'tool',
  function_response: 'tool',
};
const SHAREGPT_KNOWN = 'system, human, gpt, function_call, tool, observation';

/** A message of ShareGPT as one of the chat contract; what is wrong with it is left for `messagesOf`, but for the role. */
function sharegptMessage(reading: Reading, raw: unknown, at: string): unknown {
  if (!isObject(raw)) return raw;
  const from = raw['from'] ?? raw['role'];
  const role = typeof from === 'string' && Object.hasOwn(SHAREGPT_ROLES, from) ? SHAREGPT_ROLES[from] : undefined;
  const content = raw['value'] ?? raw['content'];
  if (!role) {
    reading.log.report('bad_role', `${at}.from`, at, typeof from === 'string' ? shown(from) : '', SHAREGPT_KNOWN);
    return { role: 'system', content: '' };
  }
  const message = { role, content, weight: raw['weight'] };
  return from === 'function_call' ? withCall(reading, message, at) : message;
}

/** A message whose content is the JSON of one call. */
function withCall(reading: Reading, message: { content: unknown }, at: string): unknown {
  const { content } = message;
  const call = typeof content === 'string' ? nestedJson(reading, content, `${at}.value`) : null;
  if (call === 'reported') return { ...message, content: '-' };
  if (!call || !isObject(call.value)) return { ...message, content: null, tool_calls: [{ function: { name: '-', arguments: '' } }] };
  const { name, arguments: given } = call.value;
  const exact = isObject(given) ? (call.texts.get(given) ?? JSON.stringify(given)) : given;
  return { ...message, content: null, tool_calls: [{ function: { name, arguments: exact } }] };
}

/** `conversations` of `from` and `value`, with `system` and `tools` beside them. */
export function sharegptOf(reading: Reading, value: JsonObject): ChatExample | null {
  const offer = offerOf(reading, value['tools'], undefined, 'tools');
  const system = systemOf(reading, value['system']);
  const raw = value['conversations'];
  const at = (i: number): string => `conversations[${i - system.length}]`;
  const chat: unknown = Array.isArray(raw) ? raw.map((item, i) => sharegptMessage(reading, item, `conversations[${i}]`)) : raw;
  const messages = messagesOf(reading, chat, { name: 'conversations', least: 2 });
  return messages && conversation(reading, [...system, ...messages], offer, at);
}
