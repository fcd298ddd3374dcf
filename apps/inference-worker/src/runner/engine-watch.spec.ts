import { EngineLoadError } from '@slipway/engine';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EngineWatch } from './engine-watch.js';

const world = { answers: true, outputs: 0, firstOutputMs: 0, asked: 0, lost: [] as EngineLoadError[] };
let watch: EngineWatch;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(world, { answers: true, outputs: 0, firstOutputMs: 0, asked: 0, lost: [] });
  watch = new EngineWatch({
    check: () => {
      world.asked += 1;
      return world.answers ? Promise.resolve() : Promise.reject(new EngineLoadError('engine_unreachable', 'The engine does not answer.'));
    },
    outputs: () => world.outputs,
    firstOutputMs: () => world.firstOutputMs,
    lost: (error) => world.lost.push(error),
  });
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('an engine is lost once after three failed checks', async () => {
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

it.each([60_000, 600_000, 1_800_000])('a mute engine has the %d ms of the requests that wait', async (firstOutputMs) => {
  world.answers = false;
  world.firstOutputMs = firstOutputMs;
  await pass(firstOutputMs - 10_000);
  expect(world.lost).toEqual([]);
  await pass(15_000);
  expect(world.lost).toHaveLength(1);
});

it('a mute engine is lost once no request waits', async () => {
  world.answers = false;
  world.firstOutputMs = 600_000;
  await pass(100_000);
  world.firstOutputMs = 0;
  await pass(5_000);
  expect(world.lost).toHaveLength(1);
});

it('a mute engine is checked each 30 s, until it answers', async () => {
  world.answers = false;
  world.firstOutputMs = 600_000;
  await pass(15_000);
  expect(world.asked).toBe(3);
  await pass(300_000);
  expect(world.asked).toBeLessThanOrEqual(14);
  world.answers = true;
  await pass(30_000);
  world.answers = false;
  world.firstOutputMs = 0;
  await pass(10_000);
  expect(world.lost).toEqual([]);
});

it('an engine that produces output is not checked', async () => {
  world.answers = false;
  for (let turn = 0; turn < 20; turn += 1) {
    world.outputs += 1;
    await pass(5_000);
  }
  expect(world).toMatchObject({ asked: 0, lost: [] });
});
