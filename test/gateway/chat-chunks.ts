import type { FinishReason, StreamEvent } from '@slipway/contracts';
import { expect } from 'vitest';
import { type Script, usageOf } from './scripted-runner.js';

export interface Choice {
  index: number;
  delta: Record<string, unknown> & { content?: string; tool_calls?: ToolDelta[] };
  logprobs: { content: { token: string; logprob: number; top_logprobs: unknown[] }[] } | null;
  finish_reason: string | null;
}
interface ToolDelta {
  index: number;
  id?: string;
  type?: string;
  function: { name?: string; arguments: string };
}
interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: Choice[];
  usage?: Record<string, unknown> | null;
}

export const text = (x: string, c?: number): StreamEvent => ({ k: 'text', ...(c !== undefined && { c }), x, n: 1 });
export const fin = (r: FinishReason = 'stop', c?: number): StreamEvent => ({ k: 'fin', ...(c !== undefined && { c }), r });
/** Sends these events, one engine step each. */
export const says =
  (...events: readonly StreamEvent[]): Script =>
  async (_start, writer) => {
    writer.events([{ k: 'start', prompt: 7, cached: 3 }]);
    for (const event of events) writer.events([event]);
    return usageOf(events.filter((event) => 'n' in event).length);
  };

/** The chunks of a stream, whose every frame must be one line of JSON, a comment, or the last one. */
export function chunksOf(sse: string): Chunk[] {
  const frames = sse.split('\n\n');
  expect(frames.pop()).toBe('');
  for (const frame of frames) expect(frame).toMatch(/^(data: (\{.*\}|\[DONE\])|:.*)$/);
  return frames.filter((frame) => frame.startsWith('data: {')).map((frame) => JSON.parse(frame.slice(6)) as Chunk);
}
