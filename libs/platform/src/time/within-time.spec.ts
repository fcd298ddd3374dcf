import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { withinTime } from './within-time.js';

const LONG_MS = 600_000;

/** Ends when its signal does, for its reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('work that is given some time', () => {
  it('is aborted when the time is over, whatever was collected meanwhile', async () => {
    const outer = new AbortController();
    const works = Array.from({ length: 20 }, () => withinTime(outer.signal, 100, untilAborted));
    setTimeout(collectGarbage, 20);
    const ends = await Promise.allSettled(works);
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as Error).name)).toEqual(ends.map(() => 'TimeoutError'));
  });

  it('is aborted with the outer signal, for its reason', async () => {
    const outer = new AbortController();
    const work = withinTime(outer.signal, LONG_MS, untilAborted);
    outer.abort(new Error('left'));
    await expect(work).rejects.toThrow('left');
  });

  it('is not begun when the outer signal has aborted before', async () => {
    let begun = false;
    const work = withinTime(AbortSignal.abort(new Error('gone')), LONG_MS, () => Promise.resolve((begun = true)));
    await expect(work).rejects.toThrow('gone');
    expect(begun).toBe(false);
  });

  it('leaves nothing at the outer signal, however it ends', async () => {
    const { signal } = new AbortController();
    expect(await withinTime(signal, LONG_MS, () => Promise.resolve(7))).toBe(7);
    await expect(withinTime(signal, LONG_MS, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
