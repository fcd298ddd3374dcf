import type { AgentHeartbeat, AgentLoad, DeploymentId, Incarnation } from '@slipway/contracts';
import { expect, it } from 'vitest';
import type { Shortage } from '../placement/place.js';
import type { Round } from '../placement/placement-state.js';
import type { Unit, UnitKey } from '../placement/unit.js';
import { figuresOf } from './pool-figures.js';

const aUnit = (dep: number, replicas: number, more: Partial<Unit> = {}): Unit => ({
  ...{ dep: dep as DeploymentId, rev: 1, replicas, tries: 0, engine: 'llama', bytes: 10, mapped: 0, file: null },
  ...{ adapter: false, download: null, secret: false, ...more },
});
const anAgent = (wk: string, more: Partial<AgentHeartbeat> = {}): AgentHeartbeat => ({
  ...{ wk: wk as Incarnation, host: wk, zone: null, mem_free: 30, mem_total: 100, cpu: 1, gpus: 0, engines: ['llama'], cached: [] },
  ...{ draining: false, loads: [], ...more },
});
const aLoad = (dep: number, state: AgentLoad['state']): AgentLoad => ({
  ...{ dep: dep as DeploymentId, rev: 1, state, progress: null, reason: null, detail: null, pid: 1, context: null, caps: [] },
});

interface Scene {
  readonly units: readonly Unit[];
  readonly agents: readonly AgentHeartbeat[];
  readonly assigned?: Readonly<Record<string, readonly UnitKey[]>>;
  readonly short?: Readonly<Record<UnitKey, Shortage['reason']>>;
  readonly room?: number;
}
const aRound = ({ units, agents, assigned = {}, short = {}, room = 0 }: Scene): Round => ({
  ...{ units, agents, observations: new Map(), room: () => room, failure: () => null },
  assignments: new Map(Object.entries(assigned).map(([wk, keys]) => [wk as Incarnation, new Set(keys)])),
  shortages: new Map(Object.entries(short).map(([key, reason]) => [key as UnitKey, { reason, detail: '' }])),
});
const asOwned = (): undefined => undefined;

it('pools have the workers that name them', () => {
  const agents = [
    anAgent('a'),
    anAgent('b', { pool: 'gpu' }),
    anAgent('c', { pool: 'gpu' }),
    anAgent('d', { pool: 'gpu', draining: true }),
  ];
  const { pools } = figuresOf(aRound({ units: [aUnit(1, 1)], agents, assigned: { b: ['1:1'] } }), asOwned);
  expect(Object.fromEntries(pools)).toEqual({
    default: { workers: 1, occupied: 0, memoryBytes: 100, memoryFreeBytes: 30 },
    gpu: { workers: 2, occupied: 1, memoryBytes: 200, memoryFreeBytes: 60 },
  });
});

it('a worker whose streams still run is occupied', () => {
  const { pools } = figuresOf(aRound({ units: [], agents: [anAgent('a', { loads: [aLoad(1, 'draining')] })] }), asOwned);
  expect(pools.get('default')?.occupied).toBe(1);
});

it('more than 100 names of pools are told as one', () => {
  const agents = Array.from({ length: 150 }, (_, n) => anAgent(`a${n}`, { pool: `p${n}` }));
  const { pools } = figuresOf(aRound({ units: [], agents }), asOwned);
  expect(pools.size).toBe(101);
  expect(pools.get('other')?.workers).toBe(50);
});

it('a replica without room is missed where its siblings are', () => {
  const agents = [anAgent('a'), anAgent('b', { pool: 'gpu' })];
  const scene = { units: [aUnit(1, 3)], agents, assigned: { b: ['1:1'] as const }, short: { '1:1': 'no_capacity' as const } };
  expect(figuresOf(aRound(scene), asOwned).unplaced).toEqual([{ pool: 'gpu', reason: 'no_capacity', replicas: 2 }]);
});

it('what no worker could hold belongs to no pool', () => {
  const units = [aUnit(1, 1, { bytes: 101 }), aUnit(2, 1, { engine: 'other' })];
  const short = { '1:1': 'no_capacity', '2:1': 'no_worker' } as const;
  expect(figuresOf(aRound({ units, agents: [anAgent('a')], short }), asOwned).unplaced).toEqual([
    { pool: 'none', reason: 'no_capacity', replicas: 1 },
    { pool: 'none', reason: 'no_worker', replicas: 1 },
  ]);
});

it('what the load calls for beyond the room is missed', () => {
  const scene = { units: [aUnit(1, 1)], agents: [anAgent('a')], assigned: { a: ['1:1'] as const } };
  const unplaced = (more: Partial<Scene>) => figuresOf(aRound({ ...scene, ...more }), () => 3).unplaced;
  expect(unplaced({})).toEqual([{ pool: 'default', reason: 'no_capacity', replicas: 2 }]);
  expect(unplaced({ room: 1 })).toEqual([]);
  expect(unplaced({ agents: [anAgent('a'), anAgent('b', { loads: [aLoad(1, 'failed')] })] })).toEqual([]);
  // Of an update, the newest revision alone.
  expect(unplaced({ units: [aUnit(1, 1), aUnit(1, 1, { rev: 2 })], assigned: { a: ['1:1', '1:2'] } })).toHaveLength(1);
});
