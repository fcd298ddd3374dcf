import { describe, expect, it } from 'vitest';
import { readFrames } from '../inference/frames.js';
import { TOKENS_MAX } from '../inference/stream-event.js';
import { LimitUse, QueryBudgets, RecallLimitUse } from './limit-use.js';
import { OrphanUsage, UsageRecord } from './usage-record.js';

const record = {
  ...{ st: 'a-stream', at: 1, final: true, acct: 1, key: 2, dep: 3, rev: 1, api: 'chat', stream: false },
  ...{ started: 1_790_000_000_000, ttft_ms: 5, ms: 9, prompt: 3, cached: 0, completion: 4, status: 'completed' },
};
const orphan = { ...record, gw: 'gw-1' };

describe('usage', () => {
  it('refuses records beyond the bounds of a request', () => {
    expect(UsageRecord.safeParse(record).success).toBe(true);
    for (const wrong of [
      { prompt: TOKENS_MAX + 1 },
      { completion: 9e15 },
      { cached: 1e300 },
      { ms: 2 ** 31 },
      { ttft_ms: 2 ** 31 },
      { rev: 2 ** 31 },
      { started: Number.MAX_SAFE_INTEGER },
    ]) {
      expect(UsageRecord.safeParse({ ...record, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
      if (!('ttft_ms' in wrong)) expect(OrphanUsage.safeParse({ ...orphan, ...wrong }).success, JSON.stringify(wrong)).toBe(false);
    }
    expect(UsageRecord.safeParse({ ...record, prompt: TOKENS_MAX, cached: TOKENS_MAX, completion: TOKENS_MAX }).success).toBe(true);
  });

  it('caps the counts of an end frame', () => {
    const usage = { prompt: 9e15, cached: 9e15, completion: 9e15, reasoning: 9e15 };
    const end = { k: 'end', q: 1, fin: 'done', usage, sum: 0, tm: { queue: 0, prefill: 0, total: 1 } };
    const bounded = { prompt: TOKENS_MAX, cached: TOKENS_MAX, completion: TOKENS_MAX, reasoning: TOKENS_MAX };
    expect(readFrames(JSON.stringify(end))).toMatchObject({ usage: bounded });
  });
});

describe('an invalid list item', () => {
  const taken = { requests_taken: 1, tokens_taken: 2 };
  const use = { kind: 'key', id: 1, entry: 1, requests: 1, tokens: 1, running: 0, ...taken };
  const total = { id: 1, day: 1, month: 2 };

  it('leaves the other items readable', () => {
    const good = { ...use, id: 2 };
    for (const bad of [{ ...use, tokens: null }, { ...use, tokens: 1e300 }, { ...use, running: -1 }, null, 'x'])
      expect(LimitUse.message.parse({ gw: 'gw-1', holders: [bad, good] }).holders).toEqual([good]);
    const recalled = { kind: 'key', id: 2, age_ms: 1, ...taken };
    expect(RecallLimitUse.reply.parse({ holders: [{ ...recalled, id: 0 }, recalled] }).holders).toEqual([recalled]);
    const budgets = { day: 1_789_948_800_000, keys: [{ ...total, month: 2 ** 60 }, total], accounts: [total, 7], requests: [{}] };
    expect(QueryBudgets.reply.parse(budgets)).toEqual({ ...budgets, keys: [total], accounts: [total], requests: [] });
  });
});
