import { TOKENS_MAX, UsageRecord } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type MeteredRequest, RequestMeter } from './request-meter.js';

function meter(more: Partial<MeteredRequest> = {}, elapsed = 12): { meter: RequestMeter; settled: number[] } {
  const settled: number[] = [];
  const context = { caller: { account: { id: 1 }, key: { id: 2 } }, deployment: { facts: { id: 3 } }, line: { elapsed: () => elapsed } };
  const request = {
    ...{ context, streamId: 'a-stream', rev: 1, api: 'chat', stream: true, maxTokens: 16, choices: 1 },
    reservation: { headers: [], settle: (tokens: number) => settled.push(tokens) },
    ...more,
  } as unknown as MeteredRequest;
  return { meter: new RequestMeter(request, { over: () => undefined }), settled };
}

describe('the record of a request', () => {
  it('holds what its worker counted', () => {
    const { meter: one, settled } = meter();
    const usage = { prompt: 7, cached: 3, completion: 16 };
    expect(one.believable(usage)).toBe(usage);
    one.over('completed', usage);
    expect(UsageRecord.parse(one.record())).toMatchObject({ ...usage, final: true });
    expect(one.record().estimated).toBeUndefined();
    expect(settled).toEqual([23]);
  });

  it('can be stored whatever its worker counts', () => {
    for (const lie of [TOKENS_MAX, Number.MAX_SAFE_INTEGER]) {
      const { meter: one, settled } = meter({}, 1e12);
      one.firstOutput(1e12);
      one.count({ k: 'start', prompt: lie, cached: lie });
      for (let i = 0; i < 3; i += 1) one.count({ k: 'text', x: 'four', n: lie });
      expect(UsageRecord.safeParse(one.record()).success).toBe(true);
      one.over('completed', one.believable({ prompt: lie, cached: lie, completion: lie, reasoning: lie }));
      const record = UsageRecord.parse(one.record());
      expect(record).toMatchObject({ completion: 36, estimated: true });
      expect(settled).toEqual([record.prompt + record.completion]);
    }
  });

  it('allows each choice its limit, or its text', () => {
    expect(meter({ choices: 3 }).meter.believable({ prompt: 1, cached: 0, completion: 48 })).not.toHaveProperty('estimated');
    const { meter: one } = meter();
    one.count({ k: 'text', x: 'x'.repeat(100), n: 1 });
    expect(one.believable({ prompt: 1, cached: 0, completion: 100 })).not.toHaveProperty('estimated');
  });
});
