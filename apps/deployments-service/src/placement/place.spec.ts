/* oxlint-disable max-lines -- the rules of one function, with one set of helpers */
import type { AgentLoad, DeploymentId, Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { place, type PlacementResult, type PlacementInput } from './place.js';
import { type Agent, type Unit, type UnitKey, unitKey } from './unit.js';

const GIB = 2 ** 30;
const wk = (name: string): Incarnation => name as Incarnation;

const aUnit = (dep: number, more: Partial<Unit> = {}): Unit => ({
  dep: dep as DeploymentId,
  rev: 1,
  replicas: 1,
  tries: 0,
  engine: 'llama',
  bytes: GIB,
  mapped: 0,
  file: null,
  adapter: false,
  download: null,
  secret: false,
  ...more,
});

const anAgent = (name: string, more: Partial<Agent> = {}): Agent => ({
  wk: wk(name),
  host: `host-${name}`,
  zone: null,
  mem_free: 8 * GIB,
  engines: ['llama', 'http'],
  cached: [],
  draining: false,
  loads: [],
  ...more,
});

const aLoad = (dep: number, state: AgentLoad['state'], rev = 1): AgentLoad => ({
  dep: dep as DeploymentId,
  rev,
  state,
  progress: null,
  reason: null,
  detail: null,
  pid: 1,
  context: null,
  caps: [],
});

const run = (input: Partial<PlacementInput>): PlacementResult =>
  place({ units: [], agents: [], previous: new Map(), mayTry: () => true, staysFailed: () => false, ...input });

/** `{ a: ['1:1'] }`, agents without anything left out. */
function assigned({ assignments }: PlacementResult): Record<string, string[]> {
  return Object.fromEntries([...assignments].filter(([, keys]) => keys.size > 0).map(([name, keys]) => [name, [...keys].sort()]));
}
const reasons = ({ shortages }: PlacementResult): Record<string, string> =>
  Object.fromEntries([...shortages].map(([key, { reason }]) => [key, reason]));
const before = (placed: Record<string, UnitKey[]>): PlacementInput['previous'] =>
  new Map(Object.entries(placed).map(([name, keys]) => [wk(name), new Set(keys)]));

it('the replica with the fewest requests leaves', () => {
  const agents = [4, 1, 3].map((requests, i) => anAgent('abc'[i]!, { loads: [{ ...aLoad(1, 'ready'), requests }] }));
  const previous = before({ a: ['1:1'], b: ['1:1'], c: ['1:1'] });
  expect(assigned(run({ units: [aUnit(1, { replicas: 2 })], agents, previous }))).toEqual({ a: ['1:1'], c: ['1:1'] });
  expect(assigned(run({ units: [aUnit(1)], agents, previous }))).toEqual({ a: ['1:1'] });
  // One that loads has no requests that it could break.
  agents[2] = anAgent('c', { loads: [aLoad(1, 'loading')] });
  expect(assigned(run({ units: [aUnit(1, { replicas: 2 })], agents, previous }))).toEqual({ a: ['1:1'], b: ['1:1'] });
});

describe('a deployment with a credential', () => {
  const keyed = (name: string): Agent => anAgent(name, { key: 'a'.repeat(43) });

  it('goes only to agents with a key', () => {
    const placement = run({ units: [aUnit(1, { secret: true, replicas: 2 })], agents: [anAgent('a'), keyed('b'), keyed('c')] });
    expect(assigned(placement)).toEqual({ b: ['1:1'], c: ['1:1'] });
  });

  it('waits for such an agent and says so', () => {
    const placement = run({ units: [aUnit(1, { secret: true })], agents: [anAgent('a')] });
    expect(assigned(placement)).toEqual({});
    expect(placement.shortages.get('1:1')).toMatchObject({ reason: 'no_worker', detail: expect.stringContaining('sealed') as string });
  });
});

describe('a deployment of an adapter', () => {
  const ADAPTED: Partial<Unit> = { adapter: true, file: '/models/base.gguf', bytes: 5 * GIB, mapped: 4 * GIB };
  const loading = (name: string, more: Partial<Agent> = {}): Agent => anAgent(name, { features: ['adapter'], ...more });

  it('goes only to agents that load adapters', () => {
    const agents = [anAgent('a'), anAgent('b', { features: ['other'] }), loading('c')];
    expect(assigned(run({ units: [aUnit(1, { ...ADAPTED, replicas: 2 })], agents }))).toEqual({ c: ['1:1'] });
  });

  it('waits for such an agent and says so', () => {
    const placement = run({ units: [aUnit(1, ADAPTED)], agents: [anAgent('a')], previous: before({ a: ['1:1'] }) });
    expect(assigned(placement)).toEqual({});
    expect(placement.shortages.get('1:1')?.detail).toContain('No connected worker loads adapters');
  });

  it('on an HTTP engine goes only to agents that export adapters', () => {
    const unit = aUnit(1, { adapter: true, engine: 'http', bytes: 0, replicas: 2 });
    const http = (name: string, ...features: string[]): Agent => anAgent(name, { engines: ['http', 'llama'], features });
    const agents = [http('a'), http('b', 'adapter'), http('c', 'adapter', 'adapter-export')];
    expect(assigned(run({ units: [unit], agents }))).toEqual({ c: ['1:1'] });
    expect(run({ units: [unit], agents: agents.slice(0, 2) }).shortages.get('1:1')?.detail).toContain('ADAPTER_EXPORT_DIR');
    const other = run({
      units: [{ ...unit, engine: 'llama-server' }],
      agents: [anAgent('d', { engines: ['llama-server'], features: ['adapter'] })],
    });
    expect(other.shortages.get('1:1')?.detail).toBe('This kind of engine takes no adapters.');
  });

  it('prefers a host on which its base is loaded', () => {
    const units = [aUnit(1, { ...ADAPTED, adapter: false, bytes: 5 * GIB }), aUnit(2, ADAPTED), aUnit(3)];
    const agents = [loading('a'), loading('b', { loads: [aLoad(1, 'ready')] })];
    expect(assigned(run({ units, agents }))).toEqual({ a: ['3:1'], b: ['1:1', '2:1'] });
  });

  it('takes the memory of a shared base once', () => {
    const units = [1, 2, 3, 4, 5].map((dep) => aUnit(dep, ADAPTED));
    const agents = [loading('a', { host: 'h' }), loading('b', { host: 'h' })];
    const placement = run({ units, agents });
    expect(Object.values(assigned(placement)).flat()).toHaveLength(4);
    expect(reasons(placement)).toEqual({ '5:1': 'no_capacity' });
  });
});

describe('a new deployment', () => {
  it('goes to an agent with enough memory', () => {
    const placement = run({ units: [aUnit(1, { bytes: 4 * GIB })], agents: [anAgent('a', { mem_free: 3 * GIB }), anAgent('b')] });
    expect(assigned(placement)).toEqual({ b: ['1:1'] });
    expect(reasons(placement)).toEqual({});
  });

  it('goes nowhere without an agent', () => {
    expect(reasons(run({ units: [aUnit(1)] }))).toEqual({ '1:1': 'no_worker' });
  });

  it('goes nowhere when no agent has its engine', () => {
    expect(reasons(run({ units: [aUnit(1)], agents: [anAgent('a', { engines: ['http'] })] }))).toEqual({ '1:1': 'no_worker' });
  });

  it('waits for memory and says how much', () => {
    const placement = run({ units: [aUnit(1, { bytes: 9 * GIB })], agents: [anAgent('a')] });
    expect(assigned(placement)).toEqual({});
    expect(placement.shortages.get('1:1')).toEqual({
      reason: 'no_capacity',
      detail: 'A replica needs about 9.0 GiB of memory; the most that a worker has free is 8.0 GiB.',
    });
  });

  it('does not go to a draining agent', () => {
    expect(assigned(run({ units: [aUnit(1)], agents: [anAgent('a', { draining: true }), anAgent('b')] }))).toEqual({ b: ['1:1'] });
    expect(reasons(run({ units: [aUnit(1)], agents: [anAgent('a', { draining: true })] }))).toEqual({ '1:1': 'no_worker' });
  });

  it('goes where its file is cached', () => {
    const agents = [anAgent('a'), anAgent('b', { cached: ['hf:u/r/f.gguf'] })];
    expect(assigned(run({ units: [aUnit(1, { download: 'hf:u/r/f.gguf' })], agents }))).toEqual({ b: ['1:1'] });
  });

  it('goes where the fewest units run', () => {
    const placement = run({ units: [aUnit(1), aUnit(2), aUnit(3), aUnit(4)], agents: [anAgent('a'), anAgent('b')] });
    expect(assigned(placement)).toEqual({ a: ['1:1', '3:1'], b: ['2:1', '4:1'] });
  });

  it('takes its memory before a load is reported', () => {
    const placement = run({ units: [aUnit(1, { bytes: 5 * GIB }), aUnit(2, { bytes: 5 * GIB })], agents: [anAgent('a')] });
    expect(assigned(placement)).toEqual({ a: ['1:1'] });
    expect(reasons(placement)).toEqual({ '2:1': 'no_capacity' });
  });

  it('takes memory of all agents on the host', () => {
    const agents = [anAgent('a', { host: 'h' }), anAgent('b', { host: 'h' })];
    const placement = run({ units: [aUnit(1, { bytes: 5 * GIB }), aUnit(2, { bytes: 5 * GIB })], agents });
    expect(assigned(placement)).toEqual({ a: ['1:1'] });
    expect(reasons(placement)).toEqual({ '2:1': 'no_capacity' });
  });

  it('takes only mapped memory once it is loaded', () => {
    const agents = [
      anAgent('a', { host: 'h', mem_free: 1 * GIB, loads: [aLoad(1, 'ready')] }),
      anAgent('b', { host: 'h', mem_free: 6 * GIB }),
    ];
    const loaded = aUnit(1, { bytes: 5 * GIB, mapped: 3 * GIB });
    expect(assigned(run({ units: [loaded, aUnit(2, { bytes: 3 * GIB })], agents }))).toEqual({ a: ['1:1'], b: ['2:1'] });
    expect(reasons(run({ units: [loaded, aUnit(2, { bytes: 4 * GIB })], agents }))).toEqual({ '2:1': 'no_capacity' });
  });

  it('scarce memory goes to the oldest deployment', () => {
    const units = [aUnit(3, { bytes: 6 * GIB }), aUnit(7, { bytes: 6 * GIB })];
    expect(assigned(run({ units, agents: [anAgent('a')] }))).toEqual({ a: ['3:1'] });
  });

  it('a large one does not block a small one', () => {
    const units = [aUnit(1, { bytes: 9 * GIB }), aUnit(2)];
    const placement = run({ units, agents: [anAgent('a')] });
    expect(assigned(placement)).toEqual({ a: ['2:1'] });
    expect(reasons(placement)).toEqual({ '1:1': 'no_capacity' });
  });
});

describe('replicas', () => {
  it('go to different hosts and zones first', () => {
    const agents = [
      anAgent('a', { host: 'h1', zone: 'z1' }),
      anAgent('b', { host: 'h1', zone: 'z1' }),
      anAgent('c', { host: 'h2', zone: 'z1' }),
      anAgent('d', { host: 'h3', zone: 'z2' }),
    ];
    expect(assigned(run({ units: [aUnit(1, { replicas: 3 })], agents }))).toEqual({ a: ['1:1'], c: ['1:1'], d: ['1:1'] });
  });

  it('run as far as agents have memory', () => {
    const placement = run({ units: [aUnit(1, { replicas: 3 })], agents: [anAgent('a'), anAgent('b')] });
    expect(assigned(placement)).toEqual({ a: ['1:1'], b: ['1:1'] });
    expect(reasons(placement)).toEqual({ '1:1': 'no_capacity' });
  });

  it('of an HTTP engine need no memory', () => {
    const unit = aUnit(1, { engine: 'http', replicas: 2, bytes: 0 });
    const full = { mem_free: 0 };
    expect(assigned(run({ units: [unit], agents: [anAgent('a', full), anAgent('b', full), anAgent('c', full)] }))).toEqual({
      a: ['1:1'],
      b: ['1:1'],
    });
    const alone = run({ units: [unit], agents: [anAgent('a', full)] });
    expect(assigned(alone)).toEqual({ a: ['1:1'] });
    expect(reasons(alone)).toEqual({});
  });
});

describe('a running replica', () => {
  it('is not moved to an emptier agent', () => {
    const agents = [anAgent('a', { mem_free: 0, loads: [aLoad(1, 'ready'), aLoad(2, 'ready')] }), anAgent('b')];
    const placement = run({ units: [aUnit(1), aUnit(2)], agents, previous: before({ a: ['1:1', '2:1'] }) });
    expect(assigned(placement)).toEqual({ a: ['1:1', '2:1'] });
  });

  it('is adopted by a new placer', () => {
    const agents = [anAgent('a'), anAgent('b', { loads: [aLoad(1, 'ready')] }), anAgent('c', { loads: [aLoad(2, 'loading')] })];
    expect(assigned(run({ units: [aUnit(1), aUnit(2)], agents }))).toEqual({ b: ['1:1'], c: ['2:1'] });
  });

  it('stays assigned before its agent reports it', () => {
    const placement = run({ units: [aUnit(1)], agents: [anAgent('a'), anAgent('b')], previous: before({ b: ['1:1'] }) });
    expect(assigned(placement)).toEqual({ b: ['1:1'] });
  });

  it('stays before a loading one when scaled down', () => {
    const agents = [anAgent('a', { loads: [aLoad(1, 'loading')] }), anAgent('b', { loads: [aLoad(1, 'ready')] })];
    expect(assigned(run({ units: [aUnit(1)], agents, previous: before({ a: ['1:1'] }) }))).toEqual({ b: ['1:1'] });
  });

  it('stays before an unassigned one when scaled down', () => {
    const agents = [anAgent('a', { loads: [aLoad(1, 'ready')] }), anAgent('b', { loads: [aLoad(1, 'ready')] })];
    expect(assigned(run({ units: [aUnit(1)], agents, previous: before({ b: ['1:1'] }) }))).toEqual({ b: ['1:1'] });
  });

  it('keeps its memory against earlier units', () => {
    const agents = [anAgent('a', { mem_free: 5 * GIB, loads: [aLoad(2, 'loading')] })];
    const placement = run({ units: [aUnit(1, { bytes: 4 * GIB }), aUnit(2, { bytes: 4 * GIB })], agents });
    expect(assigned(placement)).toEqual({ a: ['2:1'] });
    expect(reasons(placement)).toEqual({ '1:1': 'no_capacity' });
  });

  it('is withdrawn when its unit is gone', () => {
    const agents = [anAgent('a', { loads: [aLoad(9, 'ready'), aLoad(1, 'ready', 1)] })];
    expect(assigned(run({ units: [aUnit(1, { rev: 2 })], agents }))).toEqual({ a: ['1:2'] });
  });
});

describe('a revision that served before', () => {
  const leaving = aUnit(1, { replicas: 0, kept: Infinity });

  it('stays where it is and nowhere else', () => {
    const agents = [anAgent('a', { loads: [aLoad(1, 'ready')] }), anAgent('b')];
    const placement = run({ units: [leaving], agents, previous: before({ a: ['1:1'], c: ['1:1'] }) });
    expect(assigned(placement)).toEqual({ a: ['1:1'] });
    expect(reasons(placement)).toEqual({});
    expect(reasons(run({ units: [leaving], agents: [] }))).toEqual({});
  });

  it('may stay on more agents than placed', () => {
    const agents = ['a', 'b', 'c'].map((name) => anAgent(name, { loads: [aLoad(1, 'ready')] }));
    expect(assigned(run({ units: [aUnit(1, { replicas: 1, kept: 2 })], agents }))).toEqual({ a: ['1:1'], b: ['1:1'] });
  });

  it('of an HTTP engine may have no replica', () => {
    expect(assigned(run({ units: [aUnit(1, { engine: 'http', replicas: 0, kept: Infinity })], agents: [anAgent('a')] }))).toEqual({});
  });
});

describe('an agent that leaves', () => {
  it('has its replicas placed again elsewhere', () => {
    const agents = [anAgent('b', { loads: [aLoad(2, 'ready')] })];
    const placement = run({ units: [aUnit(1), aUnit(2)], agents, previous: before({ a: ['1:1'], b: ['2:1'] }) });
    expect(assigned(placement)).toEqual({ b: ['1:1', '2:1'] });
  });

  it('keeps its loads while it drains', () => {
    const agents = [anAgent('a', { draining: true, loads: [aLoad(1, 'ready')] }), anAgent('b')];
    expect(assigned(run({ units: [aUnit(1)], agents, previous: before({ a: ['1:1'] }) }))).toEqual({ a: ['1:1'], b: ['1:1'] });
  });
});

describe('after a failure', () => {
  const failedOnA = [anAgent('a', { loads: [aLoad(1, 'failed')] }), anAgent('b')];

  it('the replica goes to an agent that may retry', () => {
    const mayTry = (_: Unit, name: string): boolean => name !== 'a';
    const placement = run({ units: [aUnit(1)], agents: failedOnA, previous: before({ a: ['1:1'] }), mayTry });
    expect(assigned(placement)).toEqual({ b: ['1:1'] });
  });

  it('the failed load is withdrawn without a shortage', () => {
    const placement = run({ units: [aUnit(1)], agents: failedOnA, previous: before({ a: ['1:1'] }), mayTry: () => false });
    expect(assigned(placement)).toEqual({});
    expect(reasons(placement)).toEqual({});
  });

  it('a ready replica elsewhere stays', () => {
    const agents = [anAgent('a', { loads: [aLoad(1, 'failed')] }), anAgent('b', { loads: [aLoad(1, 'ready')] })];
    const placement = run({ units: [aUnit(1, { replicas: 2 })], agents, mayTry: () => false });
    expect(assigned(placement)).toEqual({ b: ['1:1'] });
  });
});

it('the order of agents does not matter', () => {
  const units = [aUnit(1, { replicas: 2 }), aUnit(2), aUnit(3)];
  const agents = ['a', 'b', 'c', 'd'].map((name) => anAgent(name));
  const one = run({ units, agents });
  expect(assigned(run({ units, agents: [...agents].reverse() }))).toEqual(assigned(one));
});

it('a completed placement is stable', () => {
  const units = [aUnit(1, { replicas: 2 }), aUnit(2), aUnit(3, { bytes: 0, engine: 'http', replicas: 2 })];
  let agents = ['a', 'b', 'c'].map((name) => anAgent(name));
  const first = run({ units, agents });
  agents = agents.map((agent) => ({
    ...agent,
    loads: units.filter((unit) => first.assignments.get(agent.wk)?.has(unitKey(unit))).map((unit) => aLoad(unit.dep, 'ready')),
  }));
  expect(assigned(run({ units, agents, previous: first.assignments }))).toEqual(assigned(first));
  expect(assigned(run({ units, agents }))).toEqual(assigned(first));
});

describe('a drained agent', () => {
  const drained = (name: string, more: Partial<Agent> = {}): Agent => anAgent(name, { draining: true, drained: true, ...more });

  it('gets nothing new', () => {
    const placement = run({ units: [aUnit(1)], agents: [drained('a')] });
    expect(assigned(placement)).toEqual({});
    expect(placement.shortages.get('1:1')).toEqual({ reason: 'no_worker', detail: 'Every worker that could run it is being drained.' });
  });

  it('keeps its replica until another agent has one ready', () => {
    const a = drained('a', { loads: [aLoad(1, 'ready')] });
    const previous = before({ a: ['1:1'] });
    expect(assigned(run({ units: [aUnit(1)], agents: [a], previous }))).toEqual({ a: ['1:1'] });
    const loading = anAgent('b', { loads: [aLoad(1, 'loading')] });
    expect(assigned(run({ units: [aUnit(1)], agents: [a, anAgent('b')], previous }))).toEqual({ a: ['1:1'], b: ['1:1'] });
    expect(assigned(run({ units: [aUnit(1)], agents: [a, loading], previous }))).toEqual({ a: ['1:1'], b: ['1:1'] });
    const ready = anAgent('b', { loads: [aLoad(1, 'ready')] });
    expect(assigned(run({ units: [aUnit(1)], agents: [a, ready], previous }))).toEqual({ b: ['1:1'] });
  });

  it('keeps a replica only for one that is missing', () => {
    const holder = (name: string): Agent => drained(name, { loads: [aLoad(1, 'ready')] });
    const ready = anAgent('c', { loads: [aLoad(1, 'ready')] });
    const units = [aUnit(1, { replicas: 2 })];
    expect(assigned(run({ units, agents: [holder('a'), holder('b'), ready] }))).toEqual({ a: ['1:1'], c: ['1:1'] });
  });

  it('gives up at once what it has not loaded', () => {
    const agents = [drained('a', { loads: [aLoad(1, 'loading')] }), anAgent('b')];
    expect(assigned(run({ units: [aUnit(1)], agents, previous: before({ a: ['1:1'] }) }))).toEqual({ b: ['1:1'] });
  });

  it('keeps an old revision while requests reach it', () => {
    const agents = [drained('a', { loads: [aLoad(1, 'ready', 1), aLoad(1, 'ready', 2)] }), anAgent('b', { loads: [aLoad(1, 'ready', 2)] })];
    const units = [aUnit(1, { rev: 1, replicas: 0, kept: Infinity }), aUnit(1, { rev: 2 })];
    expect(assigned(run({ units, agents }))).toEqual({ a: ['1:1'], b: ['1:2'] });
  });
});
