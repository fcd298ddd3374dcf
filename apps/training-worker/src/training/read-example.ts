import type { CanonicalRequest } from '@slipway/contracts';
import { type ChatExample, type PreferenceExample, type ReadExample, readExample as readCanonical } from '@slipway/datasets';
import { z } from 'zod';

type Message = ChatExample['messages'][number];
type Turn = CanonicalRequest['messages'][number];

const Tool = z.object({
  function: z.object({
    name: z.string().min(1),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});

/** A conversation to learn from. */
export interface Example {
  /** What serving would be asked with. */
  readonly messages: readonly Turn[];
  readonly tools: CanonicalRequest['tools'];
  /** By message: false = an assistant message that is context only. */
  readonly learned: readonly boolean[];
  /** Of a preference: the same prompt with the worse answer. */
  readonly rejected?: { readonly messages: readonly Turn[]; readonly learned: readonly boolean[] };
  /** Where it lies in the split of its data set. */
  readonly place: number;
}

/**
 * Reads one line of a canonical data set.
 * @returns null for a line that is none, and for a conversation without an answer to learn; of a preference the better answer is learned
 */
export function readExample(line: string): Example | null {
  const { example, place = 0 } = canonicalOf(line) ?? {};
  if (!example) return null;
  const { messages, learned } = example.kind === 'sft' ? conversation(example.messages) : pairSide(example, 'chosen');
  const tools = example.tools.map((tool) => Tool.safeParse(JSON.parse(tool)).data?.function);
  if (!learned.includes(true) || tools.includes(undefined)) return null;
  return {
    messages,
    tools: tools.length > 0 ? (tools as CanonicalRequest['tools']) : undefined,
    learned,
    place,
    ...(example.kind === 'preference' && { rejected: pairSide(example, 'rejected') }),
  };
}

const conversation = (messages: readonly Message[]): Pick<Example, 'messages' | 'learned'> => ({
  messages: messages.map(turnOf),
  learned: messages.map((message) => message.role === 'assistant' && message.learned),
});

/** The prompt with one of its answers, which alone is learned. */
function pairSide(example: PreferenceExample, side: 'chosen' | 'rejected'): Pick<Example, 'messages' | 'learned'> {
  return conversation([...example.prompt.map((message) => ({ ...message, learned: false })), ...example[side]]);
}

function canonicalOf(line: string): ReadExample | null {
  try {
    return readCanonical(line);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function turnOf({ role, content, name, reasoning, calls, callId }: Message, index: number): Turn {
  const turn = { content: [{ type: 'text' as const, text: content }], ...(name !== null && { name }) };
  if (role === 'tool') return { role, ...turn, tool_call_id: callId ?? `call_${index}` };
  if (role !== 'assistant') return { role, ...turn };
  const made = calls.map((call, i) => ({ id: call.id ?? `call_${index}_${i}`, name: call.name, arguments: call.arguments }));
  return { role, ...turn, ...(reasoning !== null && { reasoning }), ...(made.length > 0 && { tool_calls: made }) };
}
