import { createHash } from 'node:crypto';
import { type CanonicalMessage, type CanonicalRequest, ServiceError, textOf, type Tool } from '@slipway/contracts';
import type { TemplateCall, TemplateInput, TemplateMessage, TemplateTool } from '@slipway/model-text';
import type { TemplateFacts } from './template-facts.js';

const NO_PARAMETERS = { type: 'object', properties: {} };

/** The tools that a request offers; none where it says that none may be called. */
export const offeredTools = ({ tools = [], tool_choice: choice }: Pick<CanonicalRequest, 'tools' | 'tool_choice'>): readonly Tool[] =>
  choice === 'none' ? [] : tools;

/**
 * What a request's prompt is rendered from.
 * @throws ServiceError for what this template has no place for, and for arguments in the history that are no JSON object.
 */
export function templateInput(request: CanonicalRequest, facts: TemplateFacts): TemplateInput {
  const tools = offeredTools(request);
  if (tools.length > 0 && !facts.family) {
    throw new ServiceError('unsupported_parameter', 'This model’s chat template knows no tools.', { param: 'tools' });
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

/** Templates render objects; JSON text would come out as a string in quotes. */
function argumentsOf(text: string, at: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The answer is the same as for JSON that is no object.
  }
  throw new ServiceError('invalid_value', 'The arguments of a call must be JSON text of an object.', { param: `${at}.function.arguments` });
}

/** Ids come from anywhere; where a template takes only ids of one length, each becomes one, always the same. */
function idFor(id: string, { family }: TemplateFacts): string {
  const length = family?.idLength;
  if (length === undefined || (id.length === length && /^[A-Za-z0-9]+$/.test(id))) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}
