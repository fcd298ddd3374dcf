import { type DeploymentView, DeploymentView as View } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { UsageError } from '../cli-errors.js';
import { isStale, untilReady, untilStopped, WAIT_OPTIONS, waitOf } from './wait-for-deployment.js';

const ENGINE: DeploymentView['source'] = { kind: 'http', url: 'http://127.0.0.1:8000', model: 'm' };

const aView = (changes: Partial<DeploymentView>): DeploymentView => ({
  ...View.parse({
    id: 1,
    name: 'x',
    aliases: [],
    source: { kind: 'file', path: '/x.gguf' },
    desired: 'ready',
    state: 'ready',
    reason: null,
    detail: null,
    progress: null,
    rev: 2,
    serving_rev: 2,
    replicas: 2,
    ready_replicas: 2,
  }),
  ...changes,
});

it.each<[string, Partial<DeploymentView>, ReturnType<typeof untilReady>]>([
  ['all replicas of the newest revision answer', {}, 'done'],
  ['the older revision still serves', { serving_rev: 1 }, null],
  ['a replica is missing', { ready_replicas: 1 }, null],
  ['an HTTP engine has fewer workers than it may have', { source: ENGINE, ready_replicas: 1 }, 'done'],
  ['it loads', { state: 'loading', serving_rev: null, ready_replicas: 0 }, null],
  ['it waits for room', { state: 'pending', reason: 'no_capacity' }, null],
  ['a further replica waits for a worker', { state: 'degraded', reason: 'no_worker' }, null],
  ['it failed', { state: 'failed', reason: 'model_invalid' }, 'failed'],
  ['the new revision failed while the older one serves', { state: 'degraded', reason: 'model_missing', serving_rev: 1 }, 'failed'],
  ['it was stopped meanwhile', { state: 'stopping', desired: 'stopped' }, 'failed'],
])('ready: %s', (_, changes, verdict) => {
  expect(untilReady(aView(changes))).toBe(verdict);
});

it('stopped is stopped, and stopping is not', () => {
  expect(untilStopped(aView({ desired: 'stopped', state: 'stopping' }))).toBeNull();
  expect(untilStopped(aView({ desired: 'stopped', state: 'stopped' }))).toBe('done');
});

it('--timeout bounds --wait and needs it', () => {
  expect(waitOf({})).toBeNull();
  expect(waitOf({ wait: true })).toBe(600_000);
  expect(waitOf({ wait: true, timeout: 5 })).toBe(5_000);
  expect(() => waitOf({ timeout: 5 })).toThrow(UsageError);
  const [, timeout] = WAIT_OPTIONS;
  for (const text of ['x', '0', '86401']) expect(() => timeout?.parseArg?.(text, undefined)).toThrow(UsageError);
});

it('an earlier failure counts only when it stays', () => {
  const failed = aView({ state: 'failed', reason: 'model_invalid', detail: 'no GGUF file' });
  expect(isStale(failed, failed, 100)).toBe(true);
  expect(isStale(failed, failed, 6_000)).toBe(false);
  expect(isStale(failed, aView({ state: 'failed', reason: 'model_missing' }), 100)).toBe(false);
  expect(isStale(failed, undefined, 100)).toBe(false);
});
