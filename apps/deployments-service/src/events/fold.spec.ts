import { describe, expect, it } from 'vitest';
import { folded, type StoredState } from './fold.js';

let ids = 0;
const event = (state: string | null, reason: string | null = null, more: Partial<StoredState> = {}): StoredState => ({
  ...{ id: String((ids += 1)), kind: 'state', state, reason, count: 1, firstAt: new Date(0) },
  ...more,
});

describe('a failure', () => {
  it('repeats an equal one with retries between', () => {
    const failed = event('failed', 'engine_unreachable', { count: 3 });
    const retry = event('loading', 'engine_unreachable');
    expect(folded([retry, failed], 'engine_unreachable')).toEqual({ ids: [retry.id, failed.id], count: 3, firstAt: new Date(0) });
    expect(folded([failed], 'engine_unreachable')).toMatchObject({ ids: [failed.id] });
  });

  it('is new with another reason, state or command', () => {
    const failed = event('failed', 'engine_unreachable');
    expect(folded([event('loading'), failed], 'engine_refused')).toBeNull();
    expect(folded([event('ready'), failed], 'engine_unreachable')).toBeNull();
    expect(folded([event(null, null, { kind: 'deployment.update' }), failed], 'engine_unreachable')).toBeNull();
    expect(folded([event('loading'), event('pending')], 'engine_unreachable')).toBeNull();
    expect(folded([], null)).toBeNull();
  });
});
