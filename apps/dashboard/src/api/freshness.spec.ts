import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

type Module = typeof import('./freshness.js');
let freshness: Module;
let changes = 0;
let stop = (): void => undefined;

/** The state as a component sees it that is drawn anew at every change. */
const shown = (): ReturnType<Module['currentFreshness']> => freshness.currentFreshness();

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.resetModules();
  freshness = await import('./freshness.js');
  changes = 0;
  stop = freshness.subscribeFreshness(() => (changes += 1));
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

describe('the console', () => {
  it('is live while it answers, and the moment is kept', () => {
    const end = freshness.watchRequest();
    vi.advanceTimersByTime(2_000);
    end('answered');
    expect(shown()).toEqual({ state: 'live', answeredAt: 1_002_000 });
    expect(changes).toBe(0);
  });

  it('is silent once a request waits more than 10 s', () => {
    freshness.watchRequest()('answered');
    freshness.watchRequest();
    vi.advanceTimersByTime(10_000);
    expect(shown().state).toBe('live');
    vi.advanceTimersByTime(1_000);
    expect(shown()).toEqual({ state: 'silent', answeredAt: 1_000_000 });
    expect(changes).toBe(1);
  });

  it('is silent after a failure, and live again after an answer', () => {
    freshness.watchRequest()('failed');
    expect(shown().state).toBe('silent');
    vi.advanceTimersByTime(5_000);
    freshness.watchRequest()('answered');
    expect(shown()).toEqual({ state: 'live', answeredAt: 1_005_000 });
    expect(changes).toBe(2);
  });

  it('stays as it is when the page drops a request', () => {
    const end = freshness.watchRequest();
    vi.advanceTimersByTime(20_000);
    expect(shown().state).toBe('silent');
    end('dropped');
    expect(shown().state).toBe('live');
  });

  it('stays silent while another request of the same moment waits', () => {
    const first = freshness.watchRequest();
    freshness.watchRequest();
    vi.advanceTimersByTime(11_000);
    first('answered');
    expect(shown().state).toBe('silent');
  });

  it('counts the end of a request once', () => {
    const end = freshness.watchRequest();
    end('answered');
    end('failed');
    expect(shown().state).toBe('live');
  });

  it('is checked by one timer, by none without a subscriber', () => {
    const more = freshness.subscribeFreshness(() => undefined);
    expect(vi.getTimerCount()).toBe(1);
    more();
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
