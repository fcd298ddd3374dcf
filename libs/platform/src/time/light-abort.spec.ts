import { addAbortListener } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LightAbort } from './light-abort.js';

describe('a light abort', () => {
  it('calls each listener once, with its reason set', () => {
    const abort = new LightAbort();
    const seen: unknown[] = [];
    const listener = (): void => void seen.push(abort.signal.reason);
    abort.signal.addEventListener('abort', listener);
    abort.signal.addEventListener('abort', listener);
    abort.signal.addEventListener('abort', { handleEvent: ({ type }: Event) => void seen.push(type) });
    abort.abort('first');
    abort.abort('second');
    expect(seen).toEqual(['first', 'abort']);
    expect(abort.signal.aborted).toBe(true);
    expect(() => abort.signal.throwIfAborted()).toThrow('first');
  });

  it('calls no listener that was removed or came late', () => {
    const abort = new LightAbort();
    const seen: string[] = [];
    const removed = (): void => void seen.push('removed');
    abort.signal.addEventListener('abort', removed);
    abort.signal.removeEventListener('abort', removed);
    abort.abort();
    abort.signal.addEventListener('abort', () => void seen.push('late'));
    expect(seen).toEqual([]);
    expect(abort.signal.reason).toMatchObject({ name: 'AbortError' });
  });

  it('ends what the platform lets a signal end', async () => {
    const abort = new LightAbort();
    const seen: string[] = [];
    addAbortListener(abort.signal, () => void seen.push('listener'));
    const waiting = sleep(600_000, undefined, { signal: abort.signal });
    abort.abort(new Error('over'));
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual(['listener']);
  });
});
