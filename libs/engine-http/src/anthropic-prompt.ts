import { type CanonicalMessage, type CanonicalRequest, textOf, type Tool } from '@slipway/contracts';
import { callArguments } from './request-body.js';

type Fields = Record<string, unknown>;

function messageField(message: CanonicalMessage): Fields {
  if (message.role === 'tool') {
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: textOf(message) }] };
  }
  if (message.role !== 'assistant') return { role: 'user', content: textOf(message) };
  const used = (message.tool_calls ?? []).map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.name,
    input: JSON.parse(callArguments(call)) as unknown,
  }));
  return { role: 'assistant', content: [...message.content.map(({ text }) => ({ type: 'text', text })), ...used] };
}

const toolField = ({ name, description, parameters }: Tool): Fields => ({
  name,
  ...(description !== undefined && { description }),
  input_schema: parameters ?? { type: 'object', properties: {} },
});

/** The text of a prompt in the words of the messages contract, to have it counted by servers that count it only there. */
export function anthropicPrompt(request: CanonicalRequest, model: string): Fields {
  const system = request.messages.filter(({ role }) => role === 'system').map(textOf);
  const turns = request.messages.filter(({ role }) => role !== 'system');
  return {
    model,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: turns.map(messageField),
    ...(request.tools !== undefined && { tools: request.tools.map(toolField) }),
  };
}
