import type { DeploymentId } from '@slipway/contracts';
import { createMetrics } from '@slipway/platform/metrics';
import { expect, it } from 'vitest';
import { type DeploymentLoad, DeploymentMetrics } from './deployment-metrics.js';

const load = (id: number, changes: Partial<DeploymentLoad> = {}): DeploymentLoad => ({
  id: id as DeploymentId,
  inFlight: 1,
  waiting: 2,
  slots: 4,
  slotsUsed: 3,
  replicas: { starting: 0, ready: 1, draining: 0, silent: 0 },
  ...changes,
});

const ended = (id: number, changes: object = {}) => ({
  ...{ deployment: id as DeploymentId, ms: 1_100, firstTokenMs: 100, completionTokens: 11 },
  ...changes,
});

function bench(max: number, loads: () => DeploymentLoad[]): { metrics: DeploymentMetrics; scrape: () => Promise<string> } {
  const registry = createMetrics('gateway');
  const metrics = new DeploymentMetrics(registry, max);
  metrics.observe(loads);
  return { metrics, scrape: () => registry.metrics() };
}

/** Values of the lines that begin with `name`, by their deployment. */
const valuesOf = (text: string, name: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line): [string, number] => [/deployment="(\w+)"/.exec(line)?.[1] ?? '', Number(line.split(' ').at(-1))]),
  );

it('times a generation and its tokens by deployment', async () => {
  const { metrics, scrape } = bench(5, () => [load(7), load(8)]);
  metrics.ended(ended(7));
  metrics.ended(ended(7, { firstTokenMs: undefined, completionTokens: undefined }));
  metrics.ended(ended(8, { completionTokens: 1 }));
  const text = await scrape();
  expect(valuesOf(text, 'gen_ai_server_request_duration_seconds_count')).toEqual({ 7: 2, 8: 1 });
  expect(valuesOf(text, 'gen_ai_server_time_to_first_token_seconds_sum')).toEqual({ 7: 0.1, 8: 0.1 });
  expect(valuesOf(text, 'gen_ai_server_time_per_output_token_seconds_sum')).toEqual({ 7: 0.1 });
});

it('counts deployments above the bound together', async () => {
  const { metrics, scrape } = bench(2, () => [1, 2, 3, 4].map((id) => load(id)));
  for (const id of [1, 2, 3, 4]) metrics.ended(ended(id));
  const text = await scrape();
  expect(valuesOf(text, 'gen_ai_server_request_duration_seconds_count')).toEqual({ 1: 1, 2: 1, other: 2 });
  expect(valuesOf(text, 'slipway_deployment_slots')).toEqual({ 1: 4, 2: 4, other: 8 });
  expect(valuesOf(text, 'slipway_deployment_slots_used')).toEqual({ 1: 3, 2: 3, other: 6 });
  expect(valuesOf(text, 'slipway_deployment_in_flight')).toEqual({ 1: 1, 2: 1, other: 2 });
  expect(valuesOf(text, 'slipway_deployment_waiting')).toEqual({ 1: 2, 2: 2, other: 4 });
});

it('shows a wanted deployment without workers as 0 ready', async () => {
  const none = { starting: 0, ready: 0, draining: 0, silent: 2 };
  const { scrape } = bench(2, () => [load(1, { replicas: none })]);
  const lines = (await scrape()).split('\n').filter((line) => line.startsWith('slipway_deployment_replicas{'));
  expect(lines.map((line) => [/state="(\w+)"/.exec(line)?.[1], line.split(' ').at(-1)])).toEqual([
    ['ready', '0'],
    ['silent', '2'],
  ]);
});

it('a deployment that is gone leaves its label', async () => {
  let loads = [load(1)];
  const { metrics, scrape } = bench(1, () => loads);
  metrics.ended(ended(1));
  await scrape();
  loads = [load(2)];
  await scrape();
  metrics.ended(ended(2));
  const text = await scrape();
  expect(valuesOf(text, 'gen_ai_server_request_duration_seconds_count')).toEqual({ 2: 1 });
  expect(valuesOf(text, 'slipway_deployment_slots')).toEqual({ 2: 4 });
});

it('a scrape of 1,000 deployments is at most 2 MB', async () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => 1_000_000 + i);
  const { metrics, scrape } = bench(500, () => ids.map((id) => load(id)));
  for (const id of ids) metrics.ended(ended(id, { ms: 61_234.5 }));
  const text = await scrape();
  expect(Buffer.byteLength(text)).toBeLessThan(2_000_000);
  expect(valuesOf(text, 'gen_ai_server_time_to_first_token_seconds_count')['other']).toBe(500);
});
