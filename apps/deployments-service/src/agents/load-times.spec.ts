import type { AgentLoad } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { LoadTimes } from './load-times.js';

const load = (state: AgentLoad['state']) =>
  ({ dep: 1, rev: 2, state, progress: null, reason: null, detail: null, pid: null, context: null, caps: [] }) as unknown as AgentLoad;

it('a load is timed from its first report until ready', () => {
  let now = 0;
  const times = new LoadTimes(() => now);
  const report = (state: AgentLoad['state']): void => times.observe({ wk: 'agent' as never, host: 'node', loads: [load(state)] });
  report('ready');
  expect(times.of('node', { dep: 1, rev: 2 })).toBeNull();
  report('loading');
  now = 1_500;
  report('loading');
  now = 4_000;
  report('ready');
  expect(times.of('node', { dep: 1, rev: 2 })).toBe(4_000);
  report('loading');
  report('failed');
  now = 9_000;
  report('ready');
  expect(times.of('node', { dep: 1, rev: 2 })).toBe(4_000);
  expect(times.of('other', { dep: 1, rev: 2 })).toBeNull();
});
