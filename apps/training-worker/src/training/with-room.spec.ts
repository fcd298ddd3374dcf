import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TrainingEvent, TrainingSink } from './training-job.js';
import { withRoom } from './with-room.js';

const full = (): Error => Object.assign(new Error('no space'), { code: 'ENOSPC' });
let events: TrainingEvent[];
let stop: AbortController;
/** Runs a write that fails so often for want of room. */
const written = (failures: number): Promise<string> => {
  const sink = { event: (event: TrainingEvent) => events.push(event) } as unknown as TrainingSink;
  let left = failures;
  const write = (): Promise<string> => ((left -= 1) < 0 ? Promise.resolve('written') : Promise.reject(full()));
  return withRoom(write, { sink, signal: stop.signal, pauseMs: 1 });
};

beforeEach(() => {
  [events, stop] = [[], new AbortController()];
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => vi.useRealTimers());

it('the end of a job waits for room, and says so once', async () => {
  expect(await written(3)).toBe('written');
  expect(events.map(({ code }) => code)).toEqual(['disk_low']);
});

it('a disk that stays full fails the job after an hour', async () => {
  const failure = written(Infinity).catch((error: unknown) => error);
  vi.advanceTimersByTime(3_700_000);
  expect(await failure).toMatchObject({ code: 'no_disk' });
});

it('a cancelled job does not wait for room', async () => {
  const failure = written(Infinity).catch((error: unknown) => error);
  stop.abort();
  expect(await failure).toMatchObject({ name: 'AbortError' });
});
