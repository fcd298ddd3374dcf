import type { AgentLoad, DeploymentId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type Evidence, type Observation, observe, type RevisionEvidence } from './observe.js';

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
/** What is known of a deployment whose newest revision is 2; `serving` 1 is the one before it. */
interface Known {
  readonly desired?: Evidence['desired'];
  readonly serving?: number | null;
  readonly replicas?: number;
  readonly loads?: readonly AgentLoad[];
  readonly assigned?: number;
  readonly shortage?: RevisionEvidence['shortage'];
  readonly failure?: RevisionEvidence['failure'];
  /** Of revision 1. */
  readonly before?: Partial<RevisionEvidence>;
}
function some({ desired = 'ready', serving = null, replicas = 1, loads = [], before, ...newest }: Known = {}): Evidence {
  const nothing = { assigned: 0, shortage: null, failure: null };
  const older = serving === null || serving === 2 ? null : { ...nothing, ...before, rev: serving };
  return { desired, serving, replicas, agents: null, loads, older, newest: { ...nothing, ...newest, rev: 2 } };
}
const noWorker = { reason: 'no_worker', detail: 'none' } as const;
const noCapacity = { reason: 'no_capacity', detail: 'full' } as const;
const invalid = { reason: 'model_invalid', detail: 'no GGUF' } as const;

it('a deployment that grows by its load is not degraded', () => {
  const growing = some({ replicas: 3, assigned: 3, loads: [aLoad('ready'), aLoad('loading')] });
  expect(observe(growing).state).toBe('degraded');
  expect(observe({ ...growing, least: 1 })).toMatchObject({ state: 'ready', readyReplicas: 1 });
  expect(observe({ ...growing, least: 2 }).state).toBe('degraded');
});

describe('the observed state', () => {
  it.each<[string, Known, Partial<Observation>]>([
    ['nothing is known yet', {}, { state: 'pending', reason: null }],
    ['there is no worker', { shortage: noWorker }, { state: 'pending', reason: 'no_worker', detail: 'none' }],
    ['there is no room', { shortage: noCapacity }, { state: 'pending', reason: 'no_capacity', detail: 'full' }],
    ['it is assigned to an agent', { assigned: 1 }, { state: 'loading', reason: null, progress: null }],
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

  const old = (state: AgentLoad['state'] = 'ready', more: Partial<AgentLoad> = {}): AgentLoad => aLoad(state, { rev: 1, ...more });
  const fresh = (state: AgentLoad['state'] = 'ready', more: Partial<AgentLoad> = {}): AgentLoad => aLoad(state, more);

  it.each<[string, Known, Partial<Observation>]>([
    [
      'the new revision loads',
      { loads: [old(), fresh('loading', { progress: 0.1 })] },
      { state: 'ready', serving: 1, progress: 0.1, readyReplicas: 1 },
    ],
    ['the new revision is ready', { loads: [old(), fresh()] }, { state: 'ready', serving: 2, progress: null }],
    [
      'the new revision is ready on one of three, the old one on all',
      { replicas: 3, loads: [old(), old(), old(), fresh()] },
      { state: 'ready', serving: 1, readyReplicas: 3 },
    ],
    [
      'both are ready on two of three',
      { replicas: 3, loads: [old(), old(), fresh(), fresh()] },
      { state: 'degraded', serving: 2, readyReplicas: 2 },
    ],
    ['fewer are wanted, and the new revision has as many', { loads: [old(), old(), fresh()] }, { state: 'ready', serving: 2 }],
    [
      'the old revision made room for the first of the new one',
      { replicas: 2, loads: [old(), fresh('loading')] },
      { state: 'degraded', serving: 1, reason: null },
    ],
    [
      'the new revision failed',
      { loads: [old()], failure: invalid },
      {
        state: 'degraded',
        serving: 1,
        reason: 'model_invalid',
        detail: 'Revision 2 cannot take over, revision 1 serves. no GGUF',
        readyReplicas: 1,
      },
    ],
    [
      'the new revision is tried again',
      { loads: [old(), fresh('loading')], failure: invalid },
      { state: 'degraded', serving: 1, reason: 'model_invalid' },
    ],
    ['there is no room for both', { loads: [old()], shortage: noCapacity }, { state: 'degraded', serving: 1, reason: 'no_capacity' }],
    ['the old revision is lost and comes back', { loads: [old('loading')] }, { state: 'loading', serving: 1, readyReplicas: 0 }],
    ['the old revision is lost, the new one failed', { failure: invalid }, { state: 'failed', serving: 1, reason: 'model_invalid' }],
    [
      'the old revision is lost and finds no worker',
      { before: { shortage: noWorker }, shortage: noWorker },
      { state: 'pending', serving: 1, reason: 'no_worker' },
    ],
    ['the old revision is lost, the new one is ready', { loads: [fresh()] }, { state: 'ready', serving: 2 }],
    ['it is stopped meanwhile', { desired: 'stopped', loads: [old(), fresh()] }, { state: 'stopping', serving: null }],
  ])('in an update, when %s', (_, known, expected) => {
    expect(observe(some({ serving: 1, ...known }))).toMatchObject(expected);
  });

  it('the serving revision stays without ready replicas', () => {
    expect(observe(some()).serving).toBeNull();
    expect(observe(some({ loads: [aLoad('ready')] })).serving).toBe(2);
    expect(observe(some({ serving: 2 }))).toMatchObject({ serving: 2, state: 'pending' });
  });

  it('capabilities are those of every ready replica', () => {
    const loads = [
      aLoad('ready', { caps: ['tools', 'vision', 'embed'], context: 8_192 }),
      aLoad('ready', { caps: ['vision', 'tools'], context: 4_096 }),
      aLoad('loading', { caps: [], context: 64 }),
      aLoad('ready', { rev: 1, caps: [], context: 128 }),
    ];
    expect(observe(some({ replicas: 2, loads }))).toMatchObject({ caps: ['tools', 'vision'], context: 4_096 });
  });

  it('capabilities are unknown without a ready replica', () => {
    expect(observe(some({ loads: [aLoad('loading', { caps: ['tools'], context: 8 })] }))).toMatchObject({ caps: null, context: null });
  });
});
