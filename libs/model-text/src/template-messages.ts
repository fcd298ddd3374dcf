/** A call in the form of chat templates. */
export interface TemplateCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: unknown };
}

/** A message in the form of chat templates. */
export interface TemplateMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly name?: string;
  /** Reasoning of an assistant, in the field that the template reads. */
  readonly reasoning_content?: string;
  readonly reasoning?: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly TemplateCall[];
  readonly tool_call_id?: string;
}

/** Messages with the arguments of calls as JSON text, for templates that concatenate them. */
export function textArguments(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return messages.map((message) => {
    if (!message.tool_calls) return message;
    const calls = message.tool_calls.map((call) => ({
      ...call,
      function: { ...call.function, arguments: JSON.stringify(call.function.arguments) },
    }));
    return { ...message, tool_calls: calls };
  });
}

const isPlain = ({ role, tool_calls: calls }: TemplateMessage): boolean => role !== 'tool' && calls === undefined;

/** Messages for templates without a system role, or with strictly alternating turns. */
export function mergedMessages(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content);
  const turns: TemplateMessage[] = [];
  const rest = messages.filter((message) => message.role !== 'system');
  if (rest[0]?.role !== 'user' && system.length > 0) rest.unshift({ role: 'user', content: '' });
  for (const [i, message] of rest.entries()) {
    const content = i === 0 ? [...system, message.content].filter((text) => text !== '').join('\n\n') : message.content;
    const before = turns.at(-1);
    const joins = before?.role === message.role && isPlain(before) && isPlain(message);
    if (joins) turns[turns.length - 1] = { ...before, content: `${before.content}\n\n${content}` };
    else turns.push({ ...message, content });
  }
  return turns;
}
