import { AccountId, DeploymentId, type DeploymentView } from '@slipway/contracts';
import { type RpcClient, UnansweredError } from '@slipway/platform';
import { expect, it } from 'vitest';
import { FailureDetector, waitForDeployment, type WorkerReports } from './deployment-readiness.js';
import type { LaunchContext } from './launch-context.js';

const SECOND = 1_000;

function view(change: Partial<DeploymentView>): DeploymentView {
  const source = { kind: 'file', path: '/m.gguf' } as const;
  const life = { desired: 'ready', state: 'pending', reason: null, detail: null, progress: null, rev: 1 } as const;
  return { id: DeploymentId.parse(1), name: 'm', aliases: [], source, ...life, replicas: 1, ready_replicas: 0, ...change };
}

function detector(gpu?: string): { at: (second: number, change: Partial<DeploymentView>) => string | null } {
  let now = 0;
  const subject = new FailureDetector(gpu, () => now);
  return {
    at: (second, change) => {
      now = second * SECOND;
      return subject.failureOf(view(change));
    },
  };
}

it('a failure after another state is final', () => {
  const { at } = detector();
  expect(at(0, { state: 'loading' })).toBeNull();
  expect(at(1, { state: 'failed', reason: 'model_invalid', detail: 'bad magic' })).toBe('failed, model_invalid, bad magic');
});

it('an initial failure is final after 10 s', () => {
  const { at } = detector();
  expect(at(0, { state: 'failed', reason: 'engine_unreachable' })).toBeNull();
  expect(at(10, { state: 'failed', reason: 'engine_unreachable' })).toBeNull();
  expect(at(11, { state: 'failed', reason: 'engine_unreachable' })).toBe('failed, engine_unreachable');
});

it('a lack of memory is final after 10 s', () => {
  const { at } = detector();
  expect(at(0, { reason: 'no_capacity' })).toBeNull();
  expect(at(11, { reason: 'no_capacity' })).toBe('pending, no_capacity');
});

it('slow progress is allowed, 60 s without progress not', () => {
  const { at } = detector();
  for (let minute = 0; minute < 60; minute += 1) expect(at(minute * 60, { state: 'loading', progress: minute / 100 })).toBeNull();
  expect(at(59 * 60 + 61, { state: 'loading', progress: 0.59 })).toBe('no progress for 60 s: loading, 59 %');
});

it('a worker with a GPU may stand still for 180 s', () => {
  const { at } = detector('auto');
  expect(at(0, { state: 'loading', progress: 0.9 })).toBeNull();
  expect(at(180, { state: 'loading', progress: 0.9 })).toBeNull();
  expect(at(181, { state: 'loading', progress: 0.9 })).toBe('no progress for 180 s: loading, 90 %');
});

it('a missing answer does not end a start that waits', async () => {
  let asked = 0;
  const call = (): Promise<unknown> => {
    asked += 1;
    if (asked === 1) return Promise.reject(new UnansweredError('timeout', 'list', undefined));
    return Promise.resolve({ deployments: [view({ state: 'ready', ready_replicas: 1 })] });
  };
  const context = { stage: { environment: {}, options: { workers: 1 } }, signal: new AbortController().signal } as unknown as LaunchContext;
  const reports = { serving: () => 1 } as unknown as WorkerReports;
  const awaited = { account: AccountId.parse(1), id: DeploymentId.parse(1), reports };
  expect(await waitForDeployment(context, { call } as unknown as RpcClient, awaited, () => undefined)).toMatchObject({ state: 'ready' });
  expect(asked).toBe(2);
});
