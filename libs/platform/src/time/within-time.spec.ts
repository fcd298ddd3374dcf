import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { withinTime } from './within-time.js';

const LONG_MS = 600_000;

/** Rejects when its signal aborts, with its reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('withinTime', () => {
  it('aborts when time is over, despite garbage collections', async () => {
    const outer = new AbortController();
    // As many listeners as Node takes on one signal without a warning.
    const works = Array.from({ length: 10 }, () => withinTime(outer.signal, 100, untilAborted));
    setTimeout(collectGarbage, 20);
    const ends = await Promise.allSettled(works);
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as Error).name)).toEqual(ends.map(() => 'TimeoutError'));
  });

  it('aborts for the reason of the outer signal', async () => {
    const outer = new AbortController();
    const work = withinTime(outer.signal, LONG_MS, untilAborted);
    outer.abort(new Error('left'));
    await expect(work).rejects.toThrow('left');
  });

  it('does not begin after an abort', async () => {
    let begun = false;
    const work = withinTime(AbortSignal.abort(new Error('gone')), LONG_MS, () => Promise.resolve((begun = true)));
    await expect(work).rejects.toThrow('gone');
    expect(begun).toBe(false);
  });

  it('leaves no listener on the outer signal', async () => {
    const { signal } = new AbortController();
    expect(await withinTime(signal, LONG_MS, () => Promise.resolve(7))).toBe(7);
    await expect(withinTime(signal, LONG_MS, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
