import type { Contract } from '../snippets/inference-snippets.js';
import type { Answer, ToolCall } from './conversation.js';

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
const countOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The calls with a piece of one of them. */
function withCall(calls: readonly ToolCall[], index: number, { id, name, args }: Partial<ToolCall>): readonly ToolCall[] {
  const known = calls[index] ?? { id: '', name: '', args: '' };
  const next = { id: id ?? known.id, name: name ?? known.name, args: known.args + (args ?? '') };
  return [...calls.slice(0, index), next, ...calls.slice(index + 1)];
}

const errorOf = ({ error }: Json): string | null =>
  error === undefined ? null : text(object(error)['message']) || 'The answer ended with an error.';

/** What one event of a chat stream adds. */
function readChat(answer: Answer, data: string): Answer {
  if (data === '[DONE]') return { ...answer, isWhole: true };
  const chunk = JSON.parse(data) as Json;
  const error = errorOf(chunk);
  if (error !== null) return { ...answer, error };
  const choice = object((chunk['choices'] as readonly unknown[] | undefined)?.[0]);
  const { content, reasoning_content: reasoning, tool_calls: pieces } = object(choice['delta']);
  const said = text(content);
  const thought = text(reasoning);
  const called = Array.isArray(pieces) ? pieces.map(object) : [];
  return {
    ...answer,
    text: answer.text + said,
    reasoning: answer.reasoning + thought,
    calls: called.reduce<readonly ToolCall[]>((calls, piece) => withCall(calls, count(piece['index']), callPiece(piece)), answer.calls),
    finish: text(choice['finish_reason']) || answer.finish,
    usage: chatUsage(chunk['usage']) ?? answer.usage,
    pieces: answer.pieces + (said !== '' || thought !== '' || called.length > 0 ? 1 : 0),
  };
}

function callPiece(piece: Json): Partial<ToolCall> {
  const { name, arguments: args } = object(piece['function']);
  return {
    args: text(args),
    ...(typeof piece['id'] === 'string' && { id: piece['id'] }),
    ...(typeof name === 'string' && { name }),
  };
}

function chatUsage(usage: unknown): Answer['usage'] {
  if (typeof usage !== 'object' || usage === null) return null;
  const { prompt_tokens: prompt, completion_tokens: completion, prompt_tokens_details: details } = usage as Json;
  return { prompt: count(prompt), completion: count(completion), cached: countOrNull(object(details)['cached_tokens']) };
}

/** What one event of a messages stream adds. Blocks are numbered through; those of calls are remembered by their number. */
function readMessages(answer: Answer, data: string): Answer {
  const event = JSON.parse(data) as Json;
  switch (event['type']) {
    case 'error':
      return { ...answer, error: errorOf(event) };
    case 'message_start':
      return { ...answer, usage: messagesUsage(object(object(event['message'])['usage'])) };
    case 'content_block_start':
      return startBlock(answer, object(event['content_block']));
    case 'content_block_delta':
      return addDelta(answer, object(event['delta']));
    case 'message_delta':
      return {
        ...answer,
        finish: text(object(event['delta'])['stop_reason']) || answer.finish,
        usage: event['usage'] === undefined ? answer.usage : messagesUsage(object(event['usage'])),
      };
    case 'message_stop':
      return { ...answer, isWhole: true };
    default:
      return answer;
  }
}

function startBlock(answer: Answer, block: Json): Answer {
  if (block['type'] !== 'tool_use') return answer;
  const call = { id: text(block['id']), name: text(block['name']) };
  return { ...answer, calls: withCall(answer.calls, answer.calls.length, call), pieces: answer.pieces + 1 };
}

/** One block is open at a time, so that a piece of JSON belongs to the call that began last. */
function addDelta(answer: Answer, delta: Json): Answer {
  const pieces = answer.pieces + 1;
  switch (delta['type']) {
    case 'text_delta':
      return { ...answer, text: answer.text + text(delta['text']), pieces };
    case 'thinking_delta':
      return { ...answer, reasoning: answer.reasoning + text(delta['thinking']), pieces };
    case 'input_json_delta':
      return {
        ...answer,
        calls: withCall(answer.calls, Math.max(0, answer.calls.length - 1), { args: text(delta['partial_json']) }),
        pieces,
      };
    default:
      return answer;
  }
}

function messagesUsage(usage: Json): Answer['usage'] {
  const { input_tokens: input, cache_read_input_tokens: cached, output_tokens: output } = usage;
  return { prompt: count(input) + count(cached), completion: count(output), cached: countOrNull(cached) };
}

/** What one event of a responses stream adds. One item is open at a time. */
function readResponses(answer: Answer, data: string): Answer {
  const event = JSON.parse(data) as Json;
  const pieces = answer.pieces + 1;
  switch (event['type']) {
    case 'error':
      return { ...answer, error: errorOf(event) };
    case 'response.output_text.delta':
      return { ...answer, text: answer.text + text(event['delta']), pieces };
    case 'response.reasoning_summary_text.delta':
      return { ...answer, reasoning: answer.reasoning + text(event['delta']), pieces };
    case 'response.output_item.added':
      return startItem(answer, object(event['item']));
    case 'response.function_call_arguments.delta':
      return { ...answer, calls: withCall(answer.calls, Math.max(0, answer.calls.length - 1), { args: text(event['delta']) }), pieces };
    case 'response.completed':
    case 'response.incomplete':
      return endResponse(answer, object(event['response']));
    default:
      return answer;
  }
}

function startItem(answer: Answer, item: Json): Answer {
  if (item['type'] !== 'function_call') return answer;
  const call = { id: text(item['call_id']), name: text(item['name']) };
  return { ...answer, calls: withCall(answer.calls, answer.calls.length, call), pieces: answer.pieces + 1 };
}

function endResponse(answer: Answer, { status, incomplete_details: details, usage }: Json): Answer {
  const { input_tokens: input, output_tokens: output, input_tokens_details: inputs } = object(usage);
  return {
    ...answer,
    finish: text(object(details)['reason']) || text(status),
    usage: { prompt: count(input), completion: count(output), cached: countOrNull(object(inputs)['cached_tokens']) },
    isWhole: true,
  };
}

const READERS: Readonly<Record<Contract, (answer: Answer, data: string) => Answer>> = {
  chat: readChat,
  responses: readResponses,
  messages: readMessages,
};

/** An answer with one more event of its stream; what is no JSON is an answer that cannot be read. */
export function readEvent(contract: Contract, answer: Answer, data: string): Answer {
  try {
    return READERS[contract](answer, data);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { ...answer, error: 'The answer holds something that cannot be read.' };
  }
}
