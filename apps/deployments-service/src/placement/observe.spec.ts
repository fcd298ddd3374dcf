import type { AgentLoad, DeploymentId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type Evidence, type Observation, observe } from './observe.js';

const aLoad = (state: AgentLoad['state'], more: Partial<AgentLoad> = {}): AgentLoad => ({
  dep: 1 as DeploymentId,
  rev: 2,
  state,
  progress: null,
  reason: null,
  detail: null,
  pid: 1,
  context: null,
  caps: [],
  ...more,
});
const some = (more: Partial<Evidence> = {}): Evidence => ({
  desired: 'ready',
  rev: 2,
  replicas: 1,
  assigned: 0,
  loads: [],
  shortage: null,
  failure: null,
  ...more,
});
const noWorker = { reason: 'no_worker', detail: 'none' } as const;
const noCapacity = { reason: 'no_capacity', detail: 'full' } as const;
const invalid = { reason: 'model_invalid', detail: 'no GGUF' } as const;

describe('the observed state', () => {
  it.each<[string, Partial<Evidence>, Partial<Observation>]>([
    ['nothing is known yet', {}, { state: 'pending', reason: null }],
    ['there is no worker', { shortage: noWorker }, { state: 'pending', reason: 'no_worker', detail: 'none' }],
    ['there is no room', { shortage: noCapacity }, { state: 'pending', reason: 'no_capacity', detail: 'full' }],
    ['an agent was told', { assigned: 1 }, { state: 'loading', reason: null, progress: null }],
    ['an agent loads', { assigned: 1, loads: [aLoad('loading', { progress: 0.4 })] }, { state: 'loading', progress: 0.4 }],
    [
      'two load',
      { assigned: 2, replicas: 2, loads: [aLoad('loading', { progress: 0.2 }), aLoad('loading', { progress: 0.7 })] },
      { state: 'loading', progress: 0.7 },
    ],
    ['all are ready', { assigned: 1, loads: [aLoad('ready')] }, { state: 'ready', reason: null, readyReplicas: 1, progress: null }],
    ['more are ready than wanted', { assigned: 1, loads: [aLoad('ready'), aLoad('ready')] }, { state: 'ready', readyReplicas: 2 }],
    [
      'one of two is ready, one loads',
      { replicas: 2, assigned: 2, loads: [aLoad('ready'), aLoad('loading', { progress: 0.5 })] },
      { state: 'degraded', reason: null, readyReplicas: 1, progress: 0.5 },
    ],
    [
      'one of two is ready, the other has no room',
      { replicas: 2, assigned: 1, loads: [aLoad('ready')], shortage: noCapacity },
      { state: 'degraded', reason: 'no_capacity', readyReplicas: 1 },
    ],
    [
      'one of two is ready, the other failed',
      { replicas: 2, assigned: 1, loads: [aLoad('ready'), aLoad('failed')], failure: invalid },
      { state: 'degraded', reason: 'model_invalid', detail: 'no GGUF', readyReplicas: 1 },
    ],
    ['it failed', { loads: [aLoad('failed')], failure: invalid }, { state: 'failed', reason: 'model_invalid', detail: 'no GGUF' }],
    ['it failed and was withdrawn', { failure: invalid }, { state: 'failed', reason: 'model_invalid' }],
    ['it failed and is about to be tried again', { assigned: 1, failure: invalid }, { state: 'failed', reason: 'model_invalid' }],
    [
      'it failed and loads again',
      { assigned: 1, failure: invalid, loads: [aLoad('loading')] },
      { state: 'loading', reason: 'model_invalid', detail: 'no GGUF' },
    ],
    [
      'it failed and there is no room for another try',
      { failure: invalid, shortage: noCapacity },
      { state: 'failed', reason: 'model_invalid' },
    ],
    [
      'it failed once and is ready now',
      { assigned: 1, failure: invalid, loads: [aLoad('ready')] },
      { state: 'ready', reason: null, detail: null },
    ],
    [
      'its only replica drains',
      { loads: [aLoad('draining')], shortage: noWorker },
      { state: 'pending', reason: 'no_worker', readyReplicas: 0 },
    ],
    [
      'only the old revision is ready',
      { assigned: 1, loads: [aLoad('ready', { rev: 1 }), aLoad('loading', { progress: 0.1 })] },
      { state: 'degraded', reason: null, readyReplicas: 0, progress: 0.1 },
    ],
    [
      'the new revision failed, the old one serves',
      { loads: [aLoad('ready', { rev: 1 })], failure: invalid },
      { state: 'degraded', reason: 'model_invalid', readyReplicas: 0 },
    ],
    [
      'the old revision only loads',
      { assigned: 1, loads: [aLoad('loading', { rev: 1, progress: 0.9 })] },
      { state: 'loading', progress: null },
    ],
    ['it is stopped and still runs', { desired: 'stopped', loads: [aLoad('ready')] }, { state: 'stopping', reason: null }],
    ['it is stopped and drains', { desired: 'stopped', loads: [aLoad('draining')] }, { state: 'stopping' }],
    ['it is stopped', { desired: 'stopped', failure: invalid, shortage: noWorker }, { state: 'stopped', reason: null, detail: null }],
  ])('when %s', (_, evidence, expected) => {
    expect(observe(some(evidence))).toMatchObject(expected);
  });

  it('what clients are told of a deployment holds on every ready replica of the newest revision', () => {
    const loads = [
      aLoad('ready', { caps: ['tools', 'vision', 'embed'], context: 8_192 }),
      aLoad('ready', { caps: ['vision', 'tools'], context: 4_096 }),
      aLoad('loading', { caps: [], context: 64 }),
      aLoad('ready', { rev: 1, caps: [], context: 128 }),
    ];
    expect(observe(some({ replicas: 2, loads }))).toMatchObject({ caps: ['tools', 'vision'], context: 4_096 });
  });

  it('nothing is claimed of an engine that is not ready', () => {
    expect(observe(some({ loads: [aLoad('loading', { caps: ['tools'], context: 8 })] }))).toMatchObject({ caps: null, context: null });
  });
});
