import type { CanonicalRequest } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { compileKernels } from './gpu-kernels.js';

/** What is asked of a model with so many slots, and what is said in between. */
async function compiled(slots: number, signal = new AbortController().signal): Promise<{ batches: number[]; progress: number[] }> {
  const batches: number[] = [];
  const progress: number[] = [];
  let running = 0;
  const generate = async (_: CanonicalRequest): Promise<void> => {
    running += 1;
    await Promise.resolve();
    if (running > 0) batches.push(running);
    running = 0;
  };
  await compileKernels({ generate, slots, context: 1_024 }, (done) => progress.push(done), signal);
  return { batches, progress };
}

it('tries a prompt and each number of answers', async () => {
  expect((await compiled(32)).batches).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 32]);
});

it('tries no more answers than there are slots', async () => {
  expect((await compiled(1)).batches).toEqual([1, 1]);
  expect((await compiled(6)).batches).toEqual([1, 2, 3, 4, 5, 6, 6]);
  expect((await compiled(12)).batches.at(-1)).toBe(12);
});

it('tells its progress before each step', async () => {
  const { batches, progress } = await compiled(32);
  expect(progress).toHaveLength(batches.length);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  expect(progress.every((done) => done > 0 && done < 1)).toBe(true);
});

it('ends when it is no longer wanted', async () => {
  await expect(compiled(32, AbortSignal.abort(new Error('unloaded')))).rejects.toThrow('unloaded');
});

it('fails with the model', async () => {
  const generate = (): Promise<never> => Promise.reject(new Error('no such kernel'));
  await expect(compileKernels({ generate, slots: 4, context: 1_024 }, () => undefined, new AbortController().signal)).rejects.toThrow(
    'no such kernel',
  );
});
