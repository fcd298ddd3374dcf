import { jsonAnswer, type UpstreamScript } from '@slipway/testing';

interface Call {
  id: string;
  readonly type: 'function';
  readonly function: { name: string; arguments: string };
}
interface Delta {
  readonly content?: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function: { name?: string; arguments?: string };
  }[];
}
interface Chunk {
  readonly choices: readonly { readonly index: number; readonly delta: Delta; readonly finish_reason: string | null }[];
  readonly usage?: object;
}

/** The same answer for a gateway that does not stream from its engines: one document, after the pauses of the stream. */
export function documentOf(script: UpstreamScript): UpstreamScript {
  if (script.status !== undefined || script.deaf === true) return script;
  if (script.steps.some((step) => 'cut' in step)) return { deaf: true, steps: [] };
  const waits = script.steps.filter((step) => !('write' in step));
  const chunks = script.steps.flatMap((step) => ('write' in step ? chunksIn(String(step.write)) : []));
  const indexes = [...new Set(chunks.flatMap(({ choices }) => choices.map(({ index }) => index)))];
  const body = {
    ...{ id: 'chatcmpl-c', object: 'chat.completion', created: 1_760_000_000, model: 'scripted' },
    choices: indexes.map((index) => choiceOf(index, chunks)),
    usage: chunks.at(-1)?.usage,
  };
  const { headers = {}, steps } = jsonAnswer(200, body);
  return { headers, steps: [...waits, ...steps] };
}

const chunksIn = (text: string): Chunk[] => (text.startsWith('data: {') ? [JSON.parse(text.slice('data: '.length)) as Chunk] : []);

function choiceOf(index: number, chunks: readonly Chunk[]): object {
  const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
  const calls: Call[] = [];
  for (const { delta } of own) {
    for (const piece of delta.tool_calls ?? []) {
      const call = (calls[piece.index] ??= {
        id: piece.id ?? '',
        type: 'function',
        function: { name: piece.function.name ?? '', arguments: '' },
      });
      call.function.arguments += piece.function.arguments ?? '';
    }
  }
  const joined = (field: 'content' | 'reasoning'): string => own.map(({ delta }) => delta[field] ?? '').join('');
  const message = { role: 'assistant', content: joined('content'), ...(joined('reasoning') && { reasoning: joined('reasoning') }) };
  return {
    index,
    message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
    logprobs: null,
    finish_reason: own.at(-1)?.finish_reason ?? null,
  };
}
