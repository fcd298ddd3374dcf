import type { CanonicalRequest } from '@slipway/contracts';
import { z } from 'zod';

const Call = z.object({
  id: z.string().min(1).optional(),
  function: z.object({ name: z.string().min(1), arguments: z.union([z.string(), z.record(z.string(), z.unknown())]) }),
});
const Message = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  name: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(Call).optional(),
  tool_call_id: z.string().min(1).optional(),
  weight: z.union([z.literal(0), z.literal(1)]).optional(),
});
type Message = z.infer<typeof Message>;
const Tool = z.object({
  function: z.object({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});
const Line = z.object({ messages: z.array(Message).min(2), tools: z.array(Tool).optional() });

/** A conversation to learn from. */
export interface Example {
  /** What serving would be asked with. */
  readonly messages: CanonicalRequest['messages'];
  readonly tools: CanonicalRequest['tools'];
  /** By message: false = an assistant message that is context only. */
  readonly learned: readonly boolean[];
}

/**
 * Reads one line of canonical chat JSONL.
 * @returns null for a line that is none, and for one without an answer to learn
 */
export function readExample(line: string): Example | null {
  const { data } = Line.safeParse(parse(line));
  const messages = data?.messages.map(canonical);
  if (!data || !messages || messages.some((message) => message === null)) return null;
  const learned = data.messages.map(({ role, weight }) => role === 'assistant' && weight !== 0);
  if (!learned.includes(true)) return null;
  const tools = data.tools?.map(({ function: tool }) => tool);
  return {
    messages: messages.filter((message) => message !== null),
    tools: tools && tools.length > 0 ? (tools as CanonicalRequest['tools']) : undefined,
    learned,
  };
}

function canonical(message: Message, index: number): CanonicalRequest['messages'][number] | null {
  const { role, content, name, reasoning_content: reasoning, tool_calls: calls, tool_call_id: callId } = message;
  const parts = [{ type: 'text' as const, text: content ?? '' }];
  const turn = { content: parts, ...(name !== undefined && { name }) };
  if (role === 'tool') return callId === undefined ? null : { role, ...turn, tool_call_id: callId };
  if (role !== 'assistant') return { role, ...turn };
  const made = calls?.map(({ id, function: { name: called, arguments: args } }, i) => ({
    id: id ?? `call_${index}_${i}`,
    name: called,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }));
  return { role, ...turn, ...(reasoning !== undefined && { reasoning }), ...(made && made.length > 0 && { tool_calls: made }) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
