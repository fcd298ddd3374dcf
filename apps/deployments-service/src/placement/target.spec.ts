import { type DeploymentId, type DesiredState, ENGINE_KINDS, type EngineKindFacts, ggufMemory, type Incarnation } from '@slipway/contracts';
import type { NatsConnection } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentsServiceConfig } from '../config.js';
import type { CredentialVault } from '../deployments/revision-settings.js';
import { SettingsPolicy } from '../deployments/settings-policy.js';
import { TargetLoader } from './target-loader.js';
import { place, wantedReplicas } from './place.js';
import { type Revision, type Target, unitsOf } from './target.js';
import type { Agent } from './unit.js';

const aRevision = (rev: number, more: Partial<Revision> = {}): Revision => ({
  rev,
  source: { kind: 'file', path: `/models/${rev}.gguf` },
  adapter: null,
  credential: null,
  context: null,
  slots: 4,
  threads: null,
  defaultMaxTokens: null,
  bytes: rev,
  mapped: 0,
  fault: null,
  ...more,
});

interface Deployed {
  readonly serving: number | null;
  readonly replicas?: number;
  readonly desired?: DesiredState;
}
const aTarget = (revisions: readonly Revision[], { serving, replicas = 3, desired = 'ready' }: Deployed): Target => ({
  ...{
    dep: 1 as DeploymentId,
    account: 1,
    desired,
    tries: 0,
    rev: Math.max(...revisions.map(({ rev }) => rev)),
    serving,
    replicas,
    range: null,
    revisions,
  },
  written: { state: 'ready', serving, reason: null, detail: null, readyReplicas: 0, caps: [], context: null, agents: null },
});

const counts = (...[target, takeover]: Parameters<typeof unitsOf>): [rev: number, replicas: number, kept: number | undefined][] =>
  unitsOf(target, takeover).map(({ rev, replicas, kept }) => [rev, replicas, kept]);
const NONE = { ready: 0, hasNoRoom: false, clear: false };

it('a deployment runs its newest revision until stopped', () => {
  expect(counts(aTarget([aRevision(1)], { serving: null }), NONE)).toEqual([[1, 3, undefined]]);
  expect(counts(aTarget([aRevision(1)], { serving: 1, desired: 'stopped' }), NONE)).toEqual([]);
});

it('the serving revision keeps all replicas and comes first', () => {
  const target = aTarget([aRevision(2), aRevision(1)], { serving: 1 });
  expect(counts(target, NONE)).toEqual([
    [1, 3, 3],
    [2, 3, undefined],
  ]);
});

it('a ready replica of the newest replaces one', () => {
  const target = aTarget([aRevision(2), aRevision(1)], { serving: 1 });
  expect(counts(target, { ready: 2, hasNoRoom: false, clear: false })[0]).toEqual([1, 1, 3]);
});

it('without memory the serving revision shrinks to one', () => {
  const target = aTarget([aRevision(2), aRevision(1)], { serving: 1 });
  const kept = [0, 1, 2, 3].map((ready) => counts(target, { ready, hasNoRoom: true, clear: false })[0]);
  expect(kept).toEqual([
    [1, 3, undefined],
    [1, 2, undefined],
    [1, 1, undefined],
    [1, 1, undefined],
  ]);
});

it('a revision that served before is not placed again', () => {
  const target = aTarget([aRevision(3), aRevision(2), aRevision(1)], { serving: 3 });
  expect(counts(target, NONE)).toEqual([
    [1, 0, Infinity],
    [2, 0, Infinity],
    [3, 3, undefined],
  ]);
});

it('a faulty revision does not stop the serving one', () => {
  const fault = { reason: 'engine_refused', detail: null } as const;
  const target = aTarget([aRevision(2, { fault }), aRevision(1)], { serving: 1 });
  expect(counts(target, NONE)).toEqual([[1, 3, 3]]);
});

describe('a new kind of engine', () => {
  const table = ENGINE_KINDS as Record<string, EngineKindFacts>;
  const source = { kind: 'file', path: '/models/none.gguf', engine: { kind: 'toy' } } as const;
  const toy = { ...ENGINE_KINDS.llama, title: 'Toy', memoryNeed: ggufMemory, replicas: 3, scalesItself: true, slots: 9 };
  beforeAll(() => void (table['toy'] = toy));
  afterAll(() => void delete table['toy']);

  const agent = (wk: string, ...engines: string[]): Agent => ({
    ...{ wk: wk as Incarnation, host: wk, zone: null, mem_free: 2 ** 40, engines, cached: [], draining: false, loads: [] },
  });
  const agents = [agent('a', 'llama', 'http'), agent('b', 'toy'), agent('c', 'llama', 'toy')];

  it('is placed on the workers that run it', () => {
    const units = unitsOf(aTarget([aRevision(1, { source })], { serving: null }), NONE);
    const { assignments } = place({ units, agents, previous: new Map(), mayTry: () => true, staysFailed: () => false });
    expect([...assignments].map(([wk, keys]) => [wk, [...keys]])).toEqual([
      ['a', []],
      ['b', ['1:1']],
      ['c', ['1:1']],
    ]);
    expect(units.map((unit) => wantedReplicas(unit, agents))).toEqual([2]);
  });

  it('has its own memory, slots and replicas', async () => {
    const config = { UNKNOWN_MODEL_BYTES: 2 ** 30 } as DeploymentsServiceConfig;
    const loader = new TargetLoader({} as CredentialVault, config, {} as NatsConnection);
    const [target] = await loader.complete([aTarget([aRevision(1, { source })], { serving: null })]);
    expect(target?.revisions[0]?.bytes).toBe(ggufMemory({ fileBytes: 2 ** 30, context: null, slots: 4 }));
    const max = { threads: null, slots: 100, context: 4_096, replicas: 100 };
    const policy = new SettingsPolicy({ defaultSlots: 4, max }, { live: () => [] });
    expect([policy.defaultSlots(source), policy.defaultReplicas(source)]).toEqual([9, 3]);
  });
});
