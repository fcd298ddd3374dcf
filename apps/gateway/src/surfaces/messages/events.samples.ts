import type { EndFrame, FinishReason, StreamEvent } from '@slipway/contracts';
import { type MessagesWriterOptions, MessagesWriter } from './events.js';

export const writer = (answer: Partial<MessagesWriterOptions> = {}): MessagesWriter =>
  new MessagesWriter({ id: 'msg_1', model: 'deployment-1', thinking: 'dropped', maxTokens: 3, oneCall: false, ...answer });
export const start: StreamEvent = { k: 'start', prompt: 7, cached: 3 };
export const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
export const think = (x: string): StreamEvent => ({ k: 'think', x, n: 1 });
export const call = (i: number, id = `c${i}`, name = 'look'): StreamEvent => ({ k: 'call', i, id, name, n: 1 });
export const args = (i: number, x: string): StreamEvent => ({ k: 'args', i, x, n: 1 });
export const fin = (r: FinishReason = 'stop', stop?: string): StreamEvent => ({ k: 'fin', r, ...(stop !== undefined && { stop }) });
export const endOf = (completion = 3, rest: object = {}): EndFrame => ({
  k: 'end',
  q: 3,
  fin: 'done',
  usage: { prompt: 7, cached: 3, completion, ...rest },
  sum: 0,
  tm: { queue: 0, prefill: 0, total: 0 },
});
