import { createHash } from 'node:crypto';
import { type CanonicalMessage, type CanonicalRequest, ServiceError, textOf, type Tool } from '@slipway/contracts';
import type { TemplateInput, TemplateTool } from './chat-template.js';
import type { TemplateFacts } from './template-facts.js';
import type { TemplateCall, TemplateMessage } from './template-messages.js';

const NO_PARAMETERS = { type: 'object', properties: {} };

/** The tools that a request offers: none where `tool_choice` is `none`. */
export const offeredTools = ({ tools = [], tool_choice: choice }: Pick<CanonicalRequest, 'tools' | 'tool_choice'>): readonly Tool[] =>
  choice === 'none' ? [] : tools;

/**
 * Makes a request the input of its model's chat template.
 * @throws ServiceError for what the template has no place for, and for calls whose arguments are not a JSON object.
 */
export function templateInput(request: CanonicalRequest, facts: TemplateFacts): TemplateInput {
  const tools = offeredTools(request);
  if (tools.length > 0 && !facts.takesTools) {
    throw new ServiceError('unsupported_parameter', 'This model’s chat template takes no tools.', { param: 'tools' });
  }
  return {
    messages: request.messages.map((message, i) => templateMessage(message, `messages[${i}]`, facts)),
    ...(tools.length > 0 && { tools: tools.map(templateTool) }),
    args: { ...facts.reasoningArgs(request.reasoning), ...request.template_args },
    ...(request.continue_final === true && { continues: assertOpen(request) }),
  };
}

function assertOpen({ messages }: CanonicalRequest): true {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && last.tool_calls === undefined) return true;
  throw new ServiceError('invalid_value', 'Only a last message of the assistant, without calls, can be continued.', {
    param: 'continue_final_message',
  });
}

const templateTool = ({ name, description, parameters = NO_PARAMETERS }: Tool): TemplateTool => ({
  type: 'function',
  function: { name, ...(description !== undefined && { description }), parameters },
});

function templateMessage(message: CanonicalMessage, at: string, facts: TemplateFacts): TemplateMessage {
  if (message.content.some(({ type }) => type === 'image')) {
    throw new ServiceError('unsupported_content', 'This model takes no images.', { param: `${at}.content` });
  }
  const { role, name } = message;
  const turn = { role, content: textOf(message), ...(name !== undefined && { name }) };
  if (message.role === 'tool') return { ...turn, tool_call_id: idFor(message.tool_call_id, facts) };
  if (message.role !== 'assistant') return turn;
  const { reasoning, tool_calls: calls } = message;
  return {
    ...turn,
    ...(reasoning !== undefined && isKept(message, facts) && { [facts.reasoningField]: reasoning }),
    ...(calls && { tool_calls: calls.map((call, i) => templateCall(call, `${at}.tool_calls[${i}]`, facts)) }),
  };
}

/** gpt-oss's template refuses reasoning beside the text of a turn that calls tools. */
const isKept = (message: CanonicalMessage & { role: 'assistant' }, { reasoningField }: TemplateFacts): boolean =>
  reasoningField !== 'thinking' || message.tool_calls === undefined || textOf(message) === '';

function templateCall(call: { id: string; name: string; arguments: string }, at: string, facts: TemplateFacts): TemplateCall {
  const args = argumentsOf(call.arguments, at);
  return {
    id: idFor(call.id, facts),
    type: 'function',
    function: { name: call.name, arguments: facts.textArguments ? JSON.stringify(args) : args },
  };
}

/** Parses arguments: a template prints an object as JSON, and JSON text as a quoted string. */
function argumentsOf(text: string, at: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Answered below, like JSON that is not an object.
  }
  throw new ServiceError('invalid_value', 'The arguments of a call must be JSON text of an object.', { param: `${at}.function.arguments` });
}

/** Clients send ids of any form. Where a template takes one length only, each id is replaced by a hash of that length. */
function idFor(id: string, { callIdLength: length }: TemplateFacts): string {
  if (length === undefined || (id.length === length && /^[A-Za-z0-9]+$/.test(id))) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}
