import type { EndFrame, StreamEvent, TokenLogprob } from '@slipway/contracts';
import { type ChatWriterOptions, ChatWriter } from './events.js';

export const writer = (fields: Partial<ChatWriterOptions> = {}): ChatWriter =>
  new ChatWriter({
    ...{ id: 'chatcmpl-1', model: 'deployment-1', created: 1_700_000_000, usage: 'none', choices: 1, logprobs: false, oneCall: false },
    ...fields,
  });
export const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
export const fin = (r: Extract<StreamEvent, { k: 'fin' }>['r'] = 'stop'): StreamEvent => ({ k: 'fin', r });
export const end = {
  k: 'end',
  q: 4,
  fin: 'done',
  usage: { prompt: 9, cached: 4, completion: 3 },
  sum: 0,
  tm: { queue: 0, prefill: 0, total: 0 },
} as EndFrame;

const BASE = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"deployment-1"';
export const chunk = (delta: string, finish = 'null', tail = ''): string =>
  `data: {${BASE},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finish}}]${tail}}\n\n`;
export const ROLE = chunk('{"role":"assistant","content":""}');

interface Choice {
  index: number;
  delta: { role?: string; content?: string; reasoning_content?: string; tool_calls?: { index: number; function: { arguments: string } }[] };
  logprobs: { content: { token: string; logprob: number }[] } | null;
  finish_reason: string | null;
}
export const chunksIn = (frames: string): { choices: Choice[]; usage?: Record<string, unknown> | null }[] =>
  frames
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)) as { choices: Choice[] });
export const call = (i: number, c?: number): StreamEvent => ({
  k: 'call',
  ...(c !== undefined && { c }),
  i,
  id: `call_${i}`,
  name: `f${i}`,
  n: 1,
});
export const args = (i: number, x: string, c?: number): StreamEvent => ({ k: 'args', ...(c !== undefined && { c }), i, x, n: 1 });
export const lp = (t: string, p = -0.5): TokenLogprob => ({ t, p });
