import { CanonicalRequest, type StreamEvent, TOKENS_MAX } from '@slipway/contracts';
import { factsOf } from '@slipway/engine';
import { describe, expect, it } from 'vitest';
import { type EngineBounds, UsageCheck } from './usage-check.js';

const TEXT = 'How many tokens is this? '.repeat(8);
const OPEN: EngineBounds = { context: null, defaultMaxTokens: null };

const request = (more: Partial<CanonicalRequest> = {}): CanonicalRequest =>
  CanonicalRequest.parse({ messages: [{ role: 'user', content: [{ type: 'text', text: TEXT }] }], sampling: {}, stop: [], ...more });

function check(more: Partial<CanonicalRequest> = {}, bounds = OPEN, answer = 'a few words'): UsageCheck {
  const made = new UsageCheck(factsOf(request(more)), bounds);
  made.event({ k: 'text', x: answer, n: 3 });
  return made;
}

const reported = (prompt: number, completion: number, cached = 0): Parameters<UsageCheck['usage']>[0] => ({ prompt, cached, completion });

describe('figures of an engine', () => {
  it('are kept where they can be true', () => {
    const usage = { prompt: 60, cached: 40, completion: 12, reasoning: 9 };
    expect(check({ max_tokens: 16 }).usage(usage)).toEqual(usage);
    // Hidden reasoning counts too, within the limit of the request or the context.
    expect(check({ max_tokens: 30_000 }).usage(reported(60, 29_999))).toEqual(reported(60, 29_999));
    expect(check({}, { context: 131_072, defaultMaxTokens: null }).usage(reported(60, 100_000))).toEqual(reported(60, 100_000));
    expect(check({ max_tokens: 8, n: 4 }).usage(reported(60, 32))).toEqual(reported(60, 32));
  });

  it('of the prompt are estimated beyond context or text', () => {
    const estimate = Math.ceil(TEXT.length / 4);
    for (const prompt of [9e15, TOKENS_MAX + 1, TOKENS_MAX, 1_000_000, Number.NaN, -1, 1.5, Infinity])
      expect(check().usage(reported(prompt, 3, prompt))).toMatchObject({ prompt: estimate, completion: 3, estimated: true });
    expect(check({}, { context: 4_096, defaultMaxTokens: null }).usage(reported(4_097, 3))).toMatchObject({
      prompt: estimate,
      estimated: true,
    });
    expect(check({}, { context: 4_096, defaultMaxTokens: null }).usage(reported(4_096, 3))).toEqual(reported(4_096, 3));
  });

  it('of the answer are estimated beyond limit, context and text', () => {
    for (const completion of [9e15, TOKENS_MAX, 1_000_000]) {
      for (const one of [check(), check({ max_tokens: 16 }), check({}, { context: 4_096, defaultMaxTokens: null })])
        expect(one.usage(reported(60, completion))).toEqual({ ...reported(60, 3), estimated: true });
    }
    expect(check({}, { context: null, defaultMaxTokens: 100 }).usage(reported(60, 101))).toEqual({ ...reported(60, 3), estimated: true });
    const filling = check({ fills_context: true }, { context: 4_096, defaultMaxTokens: 100 });
    expect(filling.usage(reported(60, 4_000))).toEqual(reported(60, 4_000));
  });

  it('beyond an ignored limit are kept where the text allows them', () => {
    expect(check({ max_tokens: 4 }, OPEN, 'x'.repeat(500)).usage(reported(60, 500))).toEqual(reported(60, 500));
  });

  it('never count a part higher than the whole', () => {
    expect(check({ max_tokens: 9 }).usage({ prompt: 10, cached: 11, completion: 5, reasoning: 6 })).toEqual({
      ...{ prompt: 10, cached: 10, completion: 5, reasoning: 5 },
    });
  });

  it('at the start of an answer are corrected for clients', () => {
    const start = (prompt: number): StreamEvent => ({ k: 'start', prompt, cached: 0 });
    const event = start(60);
    expect(check().event(event)).toBe(event);
    expect(check().event(start(9e15))).toEqual({ k: 'start', prompt: Math.ceil(TEXT.length / 4) });
  });
});
