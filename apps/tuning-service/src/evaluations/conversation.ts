import { z } from 'zod';

const Call = z.object({
  id: z.string().optional(),
  function: z.object({ name: z.string(), arguments: z.unknown() }),
});
const Message = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  name: z.string().optional(),
  tool_calls: z.array(Call).optional(),
  tool_call_id: z.string().optional(),
});
type Message = z.infer<typeof Message>;
const Example = z.object({
  tools: z.array(z.unknown()).optional(),
  messages: z.array(Message).optional(),
  prompt: z.array(Message).optional(),
  chosen: z.array(Message).optional(),
});

/** A call of a tool, its arguments as JSON. */
export interface AnsweredCall {
  readonly name: string;
  readonly arguments: string;
}

/** What an answer says: text, calls of tools, or both. */
export interface Spoken {
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
}

/** What is asked, and what should be answered. */
export interface Conversation {
  /** `messages` and `tools` of a chat request. */
  readonly request: { readonly messages: readonly unknown[]; readonly tools?: readonly unknown[] };
  readonly reference: Spoken;
}

/**
 * The conversation of a canonical example: everything before the last assistant message is asked, and that message is the reference.
 * Of a preference example the chosen answer is. Null where nothing is asked.
 */
export function conversationOf(json: string): Conversation | null {
  const { tools, messages, prompt = [], chosen = [] } = Example.parse(JSON.parse(json));
  const all = messages ?? [...prompt, ...chosen];
  const last = all.findLastIndex(({ role }) => role === 'assistant');
  const asked = all.slice(0, Math.max(last, 0));
  const answer = all[last];
  if (answer === undefined || !asked.some(({ role }) => role === 'user')) return null;
  return {
    request: { messages: withCallIds(asked), ...(tools !== undefined && tools.length > 0 && { tools }) },
    reference: {
      text: answer.content,
      calls: (answer.tool_calls ?? []).map(({ function: { name, arguments: given } }) => ({ name, arguments: argumentsText(given) })),
    },
  };
}

const argumentsText = (given: unknown): string => (typeof given === 'string' ? given : JSON.stringify(given ?? {}));

/** Messages of the chat contract. Files may leave out the ids of calls; the contract wants them. */
function withCallIds(messages: readonly Message[]): unknown[] {
  let made = 0;
  const open: string[] = [];
  return messages.map(({ role, content, name, tool_calls: calls, tool_call_id: answered }) => {
    if (role === 'tool') return { role, content, tool_call_id: answered ?? open.shift() ?? `call_${made}` };
    const shown = { role, content, ...(name !== undefined && { name }) };
    if (role !== 'assistant' || calls === undefined) return shown;
    const named = calls.map(({ id = `call_${(made += 1)}`, function: { name: tool, arguments: given } }) => {
      open.push(id);
      return { id, type: 'function', function: { name: tool, arguments: argumentsText(given) } };
    });
    return { ...shown, tool_calls: named };
  });
}

/** The asked messages as people read them, with the role before each. */
export const promptText = ({ request }: Conversation): string =>
  request.messages
    .map((message) => {
      const { role, content, tool_calls: calls } = message as { role: string; content: string; tool_calls?: unknown[] };
      return `${role}: ${content}${calls === undefined ? '' : ` ${JSON.stringify(calls)}`}`;
    })
    .join('\n\n');

/** An answer as people and judges read it. */
export const spokenText = ({ text, calls }: Spoken): string =>
  [...(text === '' ? [] : [text]), ...calls.map((call) => `${call.name}(${call.arguments})`)].join('\n');
