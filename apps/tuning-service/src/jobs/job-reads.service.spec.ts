import type { MetricPoint } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { thinPoints } from './job-reads.service.js';

const point = (step: number, loss: number, held: number | null = null): MetricPoint => ({
  ...{ step, loss, held_loss: held, at: '2026-11-25T10:00:00.000Z', epoch: null, accuracy: null, lr: null, tokens_per_s: null },
});

it('a long curve keeps its peaks, its held-out points and its ends', () => {
  const points = Array.from({ length: 10_000 }, (_, step) => point(step, step === 5_001 ? 99 : 1, step % 1_000 === 999 ? 0.5 : null));
  const thin = thinPoints(points, 2_000);
  expect(thin.length).toBeLessThanOrEqual(2_000);
  expect(thin.some(({ loss }) => loss === 99)).toBe(true);
  expect(thin.filter(({ held_loss: held }) => held !== null)).toHaveLength(10);
  expect([thin[0]?.step, thin.at(-1)?.step]).toEqual([0, 9_999]);
});

it('a short curve stays as it is', () => {
  const points = [point(1, 2), point(2, 1)];
  expect(thinPoints(points, 2_000)).toEqual(points);
});
