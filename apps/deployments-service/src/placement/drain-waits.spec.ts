import type { AgentLoad, DeploymentId, Incarnation } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { DrainWaits } from './drain-waits.js';
import type { Round } from './placement-state.js';
import type { LiveAgent } from './unit.js';

const aLoad = (state: AgentLoad['state'], more: Partial<AgentLoad> = {}): AgentLoad => ({
  ...{ dep: 1 as DeploymentId, rev: 1, state, progress: null, reason: null, detail: null, pid: 1, context: null, caps: [] },
  ...more,
});
const anAgent = (wk: string, loads: AgentLoad[], more: Partial<LiveAgent> = {}): LiveAgent => ({
  ...{ wk: wk as Incarnation, host: wk, zone: null, mem_free: 8, cpu: 1, gpus: 0, engines: ['llama'], cached: [], draining: false },
  ...{ loads, ...more },
});
const leaving = (loads: AgentLoad[]): LiveAgent => anAgent('old', loads, { draining: true, drained: true });

function aRound(agents: LiveAgent[], assigned: Record<string, ['1:1']>, more: Partial<Round> = {}): Round {
  const assignments = new Map(Object.entries(assigned).map(([wk, keys]) => [wk as Incarnation, new Set(keys)]));
  const nothing = { units: [], observations: new Map(), shortages: new Map(), room: () => 0, failure: () => null };
  return { ...nothing, agents, assignments, ...more };
}
const waitOf = (round: Round): unknown => new DrainWaits().changes(round, 0)[0]?.left[0];

it('a replica without room elsewhere says the memory', () => {
  const detail = 'A replica needs about 2.0 GiB of memory; the most that a worker has free is 1.0 GiB.';
  const shortages = new Map([['1:1', { reason: 'no_capacity', detail }]] as const);
  const round = aRound([leaving([aLoad('ready')])], { old: ['1:1'] }, { shortages });
  expect(waitOf(round)).toEqual({ dep: 1, rev: 1, reason: 'no_capacity', detail });
});

it('a replica that loads elsewhere says how far', () => {
  const other = anAgent('new', [aLoad('loading', { progress: 0.456 })]);
  const round = aRound([leaving([aLoad('ready')]), other], { old: ['1:1'], new: ['1:1'] });
  expect(waitOf(round)).toMatchObject({ reason: 'loading', detail: 'Worker new loads it: 45 %.' });
});

it('a replica that failed elsewhere says how often', () => {
  const failure = () => ({ reason: 'out_of_memory', detail: 'The model needs more memory.', rounds: 3 }) as const;
  const round = aRound([leaving([aLoad('ready')]), anAgent('new', [])], { old: ['1:1'] }, { failure });
  const detail = 'Other workers tried to load it 3 times and failed. The model needs more memory.';
  expect(waitOf(round)).toMatchObject({ reason: 'failed', detail });
});

it('a replaced replica says how many requests it has', () => {
  const round = (requests?: number): Round => aRound([leaving([aLoad('draining', requests === undefined ? {} : { requests })])], {});
  expect(waitOf(round(2))).toMatchObject({ reason: 'ending', detail: 'It gets no new request; 2 requests are under way.' });
  expect(waitOf(round())).toMatchObject({ reason: 'ending', detail: 'It gets no new request; those that run are under way.' });
});

it('only what changed is written again within 10 s', () => {
  const waits = new DrainWaits();
  const round = (progress: number): Round =>
    aRound([leaving([aLoad('ready')]), anAgent('new', [aLoad('loading', { progress })])], { old: ['1:1'], new: ['1:1'] });
  expect(waits.changes(round(0.1), 0)).toHaveLength(1);
  expect(waits.changes(round(0.101), 9_999)).toEqual([]);
  expect(waits.changes(round(0.2), 9_999)).toHaveLength(1);
  expect(waits.changes(round(0.2), 10_000)).toHaveLength(1);
  expect(waits.changes(aRound([anAgent('new', [])], {}), 10_001)).toEqual([]);
});
