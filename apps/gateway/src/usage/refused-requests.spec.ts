import { GatheredUsage, USAGE_RECORDS_MAX } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type RefusedRequest, RefusedRequests } from './request-meter.js';

const refusal = (fields: object = {}): RefusedRequest =>
  ({ acct: 1, key: 2, dep: 3, api: 'chat', status: 'rate_limit_exceeded', ...fields }) as RefusedRequest;

describe('counts of refused requests', () => {
  it('are one per key, deployment, alias and contract', () => {
    const counts = new RefusedRequests(() => 1_790_000_000_000);
    for (let i = 0; i < 1_000; i += 1) counts.add(refusal());
    for (const other of [{ key: 9 }, { dep: 9 }, { alias: 'demo' }, { api: 'messages' }]) counts.add(refusal(other));
    const parts = counts.take();
    expect(parts).toHaveLength(1);
    const { refused = [] } = GatheredUsage.parse({ records: [], refused: parts[0] });
    expect(refused.map(({ requests }) => requests)).toEqual([1_000, 1, 1, 1, 1]);
    expect(new Set(refused.map(({ id }) => id)).size).toBe(5);
    expect(counts.take()).toEqual([]);
  });

  it('are reported in bounded messages and bounded numbers', () => {
    const counts = new RefusedRequests(() => 1);
    for (let key = 1; key <= 20_000; key += 1) counts.add(refusal({ key }));
    const parts = counts.take();
    expect(Math.max(...parts.map(({ length }) => length))).toBe(USAGE_RECORDS_MAX);
    expect(parts.flat()).toHaveLength(5_000);
  });
});
