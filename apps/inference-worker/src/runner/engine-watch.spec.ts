import { EngineLoadError } from '@slipway/engine';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EngineWatch } from './engine-watch.js';

const world = { answers: true, outputs: 0, awaiting: 0, asked: 0, lost: [] as EngineLoadError[] };
let watch: EngineWatch;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(world, { answers: true, outputs: 0, awaiting: 0, asked: 0, lost: [] });
  watch = new EngineWatch({
    check: () => {
      world.asked += 1;
      return world.answers ? Promise.resolve() : Promise.reject(new EngineLoadError('engine_unreachable', 'The engine does not answer.'));
    },
    outputs: () => world.outputs,
    awaiting: () => world.awaiting,
    lost: (error) => world.lost.push(error),
  });
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('an engine that answers no three questions in a row is lost, and told so once', async () => {
  await pass(60_000);
  expect(world.lost).toEqual([]);
  world.answers = false;
  await pass(10_000);
  world.answers = true;
  await pass(5_000);
  world.answers = false;
  await pass(14_000);
  expect(world.lost).toEqual([]);
  await pass(60_000);
  expect(world.lost.map(({ reason }) => reason)).toEqual(['engine_unreachable']);
});

it('an engine that is mute while requests wait for their first output has as long as they have', async () => {
  world.answers = false;
  world.awaiting = 1;
  await pass(590_000);
  expect(world.lost).toEqual([]);
  await pass(15_000);
  expect(world.lost).toHaveLength(1);
});

it('an engine that was mute while requests waited, and stays so without any, is lost at the next question', async () => {
  world.answers = false;
  world.awaiting = 1;
  await pass(100_000);
  world.awaiting = 0;
  await pass(5_000);
  expect(world.lost).toHaveLength(1);
});

it('an engine that stays mute while requests wait is asked each 30 s only, and heard once it answers', async () => {
  world.answers = false;
  world.awaiting = 1;
  await pass(15_000);
  expect(world.asked).toBe(3);
  await pass(300_000);
  expect(world.asked).toBeLessThanOrEqual(14);
  world.answers = true;
  await pass(30_000);
  world.answers = false;
  world.awaiting = 0;
  await pass(10_000);
  expect(world.lost).toEqual([]);
});

it('an engine that produces is not asked', async () => {
  world.answers = false;
  for (let turn = 0; turn < 20; turn += 1) {
    world.outputs += 1;
    await pass(5_000);
  }
  expect(world).toMatchObject({ asked: 0, lost: [] });
});
