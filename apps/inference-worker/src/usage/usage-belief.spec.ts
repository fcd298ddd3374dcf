import { CanonicalRequest, type StreamEvent, TOKENS_MAX } from '@slipway/contracts';
import { factsOf } from '@slipway/engine';
import { describe, expect, it } from 'vitest';
import { type EngineBounds, UsageBelief } from './usage-belief.js';

const TEXT = 'How many tokens is this? '.repeat(8);
const OPEN: EngineBounds = { context: null, defaultMaxTokens: null };

const request = (more: Partial<CanonicalRequest> = {}): CanonicalRequest =>
  CanonicalRequest.parse({ messages: [{ role: 'user', content: [{ type: 'text', text: TEXT }] }], sampling: {}, stop: [], ...more });

function belief(more: Partial<CanonicalRequest> = {}, bounds = OPEN, answer = 'a few words'): UsageBelief {
  const made = new UsageBelief(factsOf(request(more)), bounds);
  made.event({ k: 'text', x: answer, n: 3 });
  return made;
}

const told = (prompt: number, completion: number, cached = 0): Parameters<UsageBelief['usage']>[0] => ({ prompt, cached, completion });

describe('figures of an engine', () => {
  it('are taken as they are where they can be true', () => {
    const usage = { prompt: 60, cached: 40, completion: 12, reasoning: 9 };
    expect(belief({ max_tokens: 16 }).usage(usage)).toEqual(usage);
    // Reasoning that nobody sees is within the limit of the request, or of the context.
    expect(belief({ max_tokens: 30_000 }).usage(told(60, 29_999))).toEqual(told(60, 29_999));
    expect(belief({}, { context: 131_072, defaultMaxTokens: null }).usage(told(60, 100_000))).toEqual(told(60, 100_000));
    expect(belief({ max_tokens: 8, n: 4 }).usage(told(60, 32))).toEqual(told(60, 32));
  });

  it('of the prompt give way to an estimate beyond the context, and beyond what its text can be', () => {
    const estimate = Math.ceil(TEXT.length / 4);
    for (const prompt of [9e15, TOKENS_MAX + 1, TOKENS_MAX, 1_000_000, Number.NaN, -1, 1.5, Infinity])
      expect(belief().usage(told(prompt, 3, prompt))).toMatchObject({ prompt: estimate, completion: 3, estimated: true });
    expect(belief({}, { context: 4_096, defaultMaxTokens: null }).usage(told(4_097, 3))).toMatchObject({
      prompt: estimate,
      estimated: true,
    });
    expect(belief({}, { context: 4_096, defaultMaxTokens: null }).usage(told(4_096, 3))).toEqual(told(4_096, 3));
  });

  it('of the answer give way to what was relayed beyond limit, context and text', () => {
    for (const completion of [9e15, TOKENS_MAX, 1_000_000]) {
      for (const one of [belief(), belief({ max_tokens: 16 }), belief({}, { context: 4_096, defaultMaxTokens: null })])
        expect(one.usage(told(60, completion))).toEqual({ ...told(60, 3), estimated: true });
    }
    expect(belief({}, { context: null, defaultMaxTokens: 100 }).usage(told(60, 101))).toEqual({ ...told(60, 3), estimated: true });
  });

  it('of an engine that ignores the limit stand where its text can be so many tokens', () => {
    expect(belief({ max_tokens: 4 }, OPEN, 'x'.repeat(500)).usage(told(60, 500))).toEqual(told(60, 500));
  });

  it('never hold more of a part than of the whole', () => {
    expect(belief({ max_tokens: 9 }).usage({ prompt: 10, cached: 11, completion: 5, reasoning: 6 })).toEqual({
      ...{ prompt: 10, cached: 10, completion: 5, reasoning: 5 },
    });
  });

  it('at the start of an answer are replaced in the event that clients see', () => {
    const start = (prompt: number): StreamEvent => ({ k: 'start', prompt, cached: 0 });
    const event = start(60);
    expect(belief().event(event)).toBe(event);
    expect(belief().event(start(9e15))).toEqual({ k: 'start', prompt: Math.ceil(TEXT.length / 4) });
  });
});
