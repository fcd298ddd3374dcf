import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Grading } from './grading.js';

const SCHEMA = [{ kind: 'json_schema' as const, schema: { type: 'object' } }];

let grading: Grading;
let spentMs = 0;

beforeEach(async () => {
  grading = new Grading();
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: spentMs * 1_000, system: 0 }));
  spentMs = 0;
  // Its first task starts the thread.
  await grading.require(SCHEMA);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await grading.stop();
});

/** Lets five seconds pass for a task before its thread can answer. */
async function fiveSecondsFor(task: () => Promise<void>): Promise<void> {
  const done = task();
  // The task is handed over in a later microtask.
  await Promise.resolve();
  await Promise.resolve();
  vi.advanceTimersByTime(5_000);
  await done;
}

it('waits for a thread that gets no processor time', async () => {
  await expect(fiveSecondsFor(() => grading.require(SCHEMA))).resolves.toBeUndefined();
});

it('ends a thread that takes a second of processor time', async () => {
  spentMs = 1_000;
  await expect(fiveSecondsFor(() => grading.require(SCHEMA))).rejects.toThrow(/takes too long/);
  spentMs = 0;
  await expect(grading.require(SCHEMA)).resolves.toBeUndefined();
});
