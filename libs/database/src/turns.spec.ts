import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.js';

/** Work that the test ends. */
function aWork(): { work: () => Promise<void>; end: () => void; begun: () => boolean } {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  let begun = false;
  const work = (): Promise<void> => {
    begun = true;
    return promise;
  };
  return { work, end: () => end(), begun: () => begun };
}

it('runs work of one key in order', async () => {
  const turns = new Turns<string>({ atOnce: 2, waitingMax: 8, waitMs: 60_000 });
  const works = [aWork(), aWork(), aWork(), aWork()];
  const done = works.map(({ work }) => turns.take('a', work));
  expect(works.map(({ begun }) => begun())).toEqual([true, true, false, false]);
  await turns.take('b', () => Promise.resolve());
  works[1]!.end();
  await done[1];
  await turnOfLoop();
  expect(works.map(({ begun }) => begun())).toEqual([true, true, true, false]);
  for (const { end } of works) end();
  await Promise.all(done);
  expect(works[3]!.begun()).toBe(true);
});

it('lets the next run after a failure', async () => {
  const turns = new Turns<string>({ atOnce: 1, waitingMax: 8, waitMs: 60_000 });
  const failing = turns.take('a', () => Promise.reject(new Error('no')));
  const next = turns.take('a', () => Promise.resolve('yes'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

it('refuses work that waits too long', async () => {
  const turns = new Turns<string>({ atOnce: 1, waitingMax: 1, waitMs: 1 });
  const [first, second, third] = [aWork(), aWork(), aWork()];
  const running = turns.take('a', first.work);
  const waiting = turns.take('a', second.work);
  await expect(turns.take('a', third.work)).rejects.toMatchObject({ code: 'unavailable', retryAfterS: 1 });
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  first.end();
  await running;
  expect([second.begun(), third.begun()]).toEqual([false, false]);
  expect(await turns.take('a', () => Promise.resolve('free again'))).toBe('free again');
});
