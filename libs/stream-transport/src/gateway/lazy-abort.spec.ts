import { describe, expect, it } from 'vitest';
import { LazyAbort } from './attempt-host.js';

describe('a lazy abort', () => {
  it('aborts signals that were read before', () => {
    const ending = new LazyAbort();
    let aborts = 0;
    ending.signal.addEventListener('abort', () => (aborts += 1));
    expect(ending.signal.aborted).toBe(false);
    ending.abort();
    ending.abort();
    expect([ending.signal.aborted, aborts]).toEqual([true, 1]);
  });

  it('gives an aborted signal afterwards', () => {
    const ending = new LazyAbort();
    ending.abort();
    expect(ending.signal.aborted).toBe(true);
  });
});
