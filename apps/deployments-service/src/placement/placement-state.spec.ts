import type { AgentHeartbeat, AgentLoad, DeploymentId, Incarnation } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { PlacementState, type Round } from './placement-state.js';
import type { Target } from './target.js';

const DEP = 1 as DeploymentId;
const HOLD_MS = 60_000;

const aLoad = (state: AgentLoad['state'], more: Partial<AgentLoad> = {}): AgentLoad => ({
  ...{ dep: DEP, rev: 1, state, progress: null, reason: null, detail: null, pid: 1, context: 2_048, caps: ['tools'] },
  ...more,
});

const anAgent = (name: string, loads: readonly AgentLoad[] = [], more: Partial<AgentHeartbeat> = {}): AgentHeartbeat => ({
  ...{ wk: name as Incarnation, host: name, zone: null, mem_free: 8, cpu: 2, gpus: 0, engines: ['llama'], cached: [], draining: false },
  ...{ loads: [...loads], key: name, assigned: null },
  ...more,
});

interface Stored {
  readonly state?: Target['written']['state'];
  readonly desired?: Target['desired'];
  readonly agents: readonly string[] | null;
  readonly replicas?: number;
}
function aTarget({ state = 'ready', desired = 'ready', agents, replicas = 1 }: Stored): Target {
  const serving = state === 'ready' ? 1 : null;
  const source = { kind: 'file', path: '/m.gguf' } as const;
  return {
    ...{ dep: DEP, account: 1, desired, rev: 1, serving, replicas, range: null, tries: 0 },
    revisions: [
      {
        ...{ rev: 1, source, adapter: null, credential: null, context: null, slots: 4, threads: null },
        ...{ defaultMaxTokens: null, bytes: 1, mapped: 0, fault: null },
      },
    ],
    written: { state, serving, reason: null, detail: null, readyReplicas: 0, caps: [], context: null, agents },
  };
}

const runners = ({ assignments }: Round): string[] => [...assignments].filter(([, keys]) => keys.has('1:1')).map(([wk]) => wk);
const seen = ({ observations }: Round): unknown => observations.get(DEP);
const LIES: [string, AgentLoad][] = [
  ['ready, and able to do nothing', aLoad('ready', { caps: [], context: 1 })],
  ['loading', aLoad('loading', { progress: 0.9 })],
  ['failed', aLoad('failed', { reason: 'model_invalid', detail: 'a lie' })],
];

it.each(LIES)('an unassigned load changes nothing when reported %s', (_, lie) => {
  const target = aTarget({ agents: ['b'] });
  const [honest, alone] = [new PlacementState(false), new PlacementState(false)];
  // Of nothing that is ready yet, of what is ready, and of what its agent lost.
  for (const loads of [[], [aLoad('ready')], []]) {
    const expected = alone.round([target], [anAgent('b', loads)], 0);
    const found = honest.round([target], [anAgent('0x', [lie], { mem_free: 0 }), anAgent('b', loads)], 0);
    expect(runners(found)).toEqual(['b']);
    expect(seen(found)).toEqual(seen(expected));
  }
});

it.each(LIES)('an unplaced deployment ignores an agent that reports it %s', (_, lie) => {
  for (const agents of [null, []]) {
    const state = new PlacementState(false);
    const found = state.round([aTarget({ state: 'pending', agents })], [anAgent('0x', [lie], { mem_free: 0 }), anAgent('b')], 0);
    expect(runners(found)).toEqual(['b']);
    expect(seen(found)).toMatchObject({ state: 'loading', reason: null, caps: null, context: null, agents: ['b'] });
  }
});

it('a new placer adopts the stored assignments', () => {
  const state = new PlacementState(false);
  const [target, c] = [aTarget({ agents: ['b'] }), anAgent('c')];
  expect(runners(state.round([target], [c], 0))).toEqual(['c']);
  const found = state.round([target], [anAgent('b', [aLoad('ready')], { mem_free: 0 }), anAgent('c', [aLoad('loading')])], 1_000);
  expect(runners(found)).toEqual(['b']);
  expect(seen(found)).toMatchObject({ state: 'ready', caps: ['tools'], context: 2_048, agents: ['b'] });
});

it('a new placer adopts loads without stored names', () => {
  const found = new PlacementState(false).round([aTarget({ agents: null })], [anAgent('a'), anAgent('b', [aLoad('ready')])], 0);
  expect(runners(found)).toEqual(['b']);
});

it('a returning agent keeps its units, an impostor not', () => {
  const lostTo = (key: string): Round => {
    const state = new PlacementState(false);
    const [target, there] = [aTarget({ agents: [] }), anAgent('b', [aLoad('ready')])];
    state.round([target], [anAgent('b')], 0);
    state.round([target], [there], 0);
    expect(runners(state.round([target], [anAgent('c')], HOLD_MS))).toEqual(['c']);
    return state.round([target], [{ ...there, key }, anAgent('c', [aLoad('loading')])], HOLD_MS);
  };
  expect(runners(lostTo('b'))).toEqual(['b']);
  expect(runners(lostTo('another key'))).toEqual(['c']);
});

it('a withdrawn replica no longer counts', () => {
  const state = new PlacementState(false);
  const [a, b] = [anAgent('a', [aLoad('ready', { caps: [], context: 1 })]), anAgent('b', [aLoad('ready')])];
  state.round([aTarget({ agents: ['a', 'b'], replicas: 2 })], [b, a], 0);
  const drained = anAgent('a', a.loads, { draining: true, engines: [] });
  expect(seen(state.round([aTarget({ agents: ['a', 'b'], replicas: 2 })], [drained, b], 0))).toMatchObject({ caps: [], context: 1 });
  const found = state.round([aTarget({ agents: ['a', 'b'] })], [b, { ...a, engines: [] }], 0);
  expect(seen(found)).toMatchObject({ state: 'ready', caps: ['tools'], context: 2_048, readyReplicas: 1, agents: ['b'] });
});

it('a deployment is stopping until its loads end', () => {
  const state = new PlacementState(false);
  const running = anAgent('b', [aLoad('ready')]);
  state.round([aTarget({ agents: ['b'] })], [running], 0);
  const stopping = aTarget({ desired: 'stopped', state: 'stopping', agents: ['b'] });
  const draining = [anAgent('0x', [aLoad('draining')]), anAgent('b', [aLoad('draining')])];
  for (const placer of [state, new PlacementState(false)]) {
    expect(seen(placer.round([stopping], draining, 0))).toMatchObject({ state: 'stopping', agents: ['b'] });
    expect(seen(placer.round([stopping], draining, 0))).toMatchObject({ state: 'stopping', agents: ['b'] });
    expect(seen(placer.round([stopping], [anAgent('0x', [aLoad('draining')]), anAgent('b')], 0))).toMatchObject({
      state: 'stopped',
      agents: [],
    });
  }
});
