import type { AgentLoad, DeploymentId, Incarnation, StateReason } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failures } from './failures.js';
import type { Agent, Unit } from './unit.js';

const unit: Unit = {
  dep: 1 as DeploymentId,
  rev: 1,
  replicas: 1,
  tries: 0,
  engine: 'llama',
  bytes: 1,
  mapped: 1,
  file: null,
  adapter: false,
  download: null,
  secret: false,
};
const [a, b] = ['a', 'b'] as Incarnation[] as [Incarnation, Incarnation];
const SECOND = 1_000;

let failures: Failures;
let now: number;
beforeEach(() => {
  failures = new Failures();
  now = 0;
});

function agent(wk: Incarnation, state: AgentLoad['state'] | null, reason: StateReason | null = null): Agent {
  const load = state && { dep: unit.dep, rev: 1, state, progress: null, reason, detail: 'why', pid: null, context: null, caps: [] };
  return { wk, host: wk, zone: null, mem_free: 1, engines: ['llama'], cached: [], draining: false, loads: load ? [load] : [] };
}
const see = (...agents: Agent[]): void => failures.observe([unit], agents, now);
/** The owner asks for another try, for the n-th time. */
const ask = (tries: number, ...agents: Agent[]): void => failures.observe([{ ...unit, tries }], agents, now);
const may = (wk: Incarnation): boolean => failures.mayTry('1:1', wk, now);

describe('a failure that is the same everywhere', () => {
  it('is retried nowhere during the pause', () => {
    see(agent(a, 'failed', 'engine_refused'), agent(b, null));
    expect([may(a), may(b)]).toEqual([false, false]);
    expect(failures.last('1:1')).toEqual({ reason: 'engine_refused', detail: 'why' });
  });

  it('is retried after pauses that double to five minutes', () => {
    const pauses: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      see(agent(a, 'failed', 'engine_refused'));
      const failedAt = now;
      while (!may(a)) {
        now += SECOND;
        see(agent(a, null));
      }
      pauses.push((now - failedAt) / SECOND);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });
});

describe('a damaged file', () => {
  it('is not retried while its agent is connected', () => {
    see(agent(a, 'failed', 'model_invalid'), agent(b, null));
    for (let hours = 0; hours < 24; hours += 1) {
      now += 3_600 * SECOND;
      see(agent(a, 'failed', 'model_invalid'), agent(b, null));
      expect([may(a), may(b)]).toEqual([false, false]);
    }
    expect(failures.isPermanent('1:1')).toBe(true);
  });

  it('is retried when its agent leaves or owners ask', () => {
    see(agent(a, 'failed', 'model_invalid'), agent(b, null));
    now += 3 * SECOND;
    see(agent(b, null));
    expect(may(b)).toBe(true);
    see(agent(b, 'failed', 'model_invalid'));
    ask(1, agent(b, 'failed', 'model_invalid'));
    expect(failures.isPermanent('1:1')).toBe(false);
    ask(1, agent(b, null));
    expect(may(b)).toBe(true);
  });
});

it('an unreachable HTTP engine is retried every 30 s', () => {
  for (let round = 0; round < 12; round += 1) {
    see(agent(a, 'failed', 'engine_unreachable'));
    now += 30 * SECOND;
    see(agent(a, null));
    expect(may(a)).toBe(true);
  }
});

describe('a failure that may be the agent’s', () => {
  it('lets other agents try during the pause', () => {
    see(agent(a, 'failed', 'out_of_memory'), agent(b, null));
    expect([may(a), may(b)]).toEqual([false, true]);
    now += 2 * SECOND;
    see(agent(a, null), agent(b, null));
    expect(may(a)).toBe(true);
  });

  it('counts as one round on all agents', () => {
    see(agent(a, 'failed', 'download_failed'), agent(b, null));
    now += SECOND;
    see(agent(a, null), agent(b, 'failed', 'download_failed'));
    now += 2 * SECOND;
    see(agent(a, null), agent(b, null));
    expect([may(a), may(b)]).toEqual([true, true]);
  });
});

it('a repeated report is no new failure', () => {
  see(agent(a, 'failed', 'model_invalid'));
  now += 10 * SECOND;
  see(agent(a, 'failed', 'model_invalid'));
  expect(may(a)).toBe(false);
  see(agent(a, null));
  expect(may(a)).toBe(true);
});

it('a minute of readiness resets the pause', () => {
  for (const pause of [2, 4, 8]) {
    see(agent(a, 'failed', 'engine_crashed'));
    now += pause * SECOND;
    see(agent(a, null));
  }
  see(agent(a, 'ready'));
  now += 60 * SECOND;
  see(agent(a, 'ready'));
  expect(failures.last('1:1')).toBeNull();
  see(agent(a, 'failed', 'engine_crashed'));
  now += 2 * SECOND;
  see(agent(a, null));
  expect(may(a)).toBe(true);
});

it('a unit that no longer exists is forgotten', () => {
  see(agent(a, 'failed', 'model_invalid'));
  failures.observe([], [agent(a, null)], now);
  expect(failures.last('1:1')).toBeNull();
  expect(may(a)).toBe(true);
});

describe('a retry by the owner', () => {
  it('starts the unit at once on every agent', () => {
    see(agent(a, 'failed', 'model_invalid'), agent(b, null));
    see(agent(a, null), agent(b, null));
    expect([may(a), may(b)]).toEqual([false, false]);
    ask(1, agent(a, null), agent(b, null));
    expect([may(a), may(b)]).toEqual([true, true]);
    expect(failures.last('1:1')).toBeNull();
  });

  it('ignores the old failure in later reports', () => {
    see(agent(a, 'failed', 'model_invalid'));
    ask(1, agent(a, 'failed', 'model_invalid'));
    expect([may(a), may(b)]).toEqual([false, true]);
    expect(failures.last('1:1')).toBeNull();
    ask(1, agent(a, null));
    expect(may(a)).toBe(true);
  });

  it('starts again with the shortest pause', () => {
    for (let round = 0; round < 5; round += 1) {
      see(agent(a, 'failed', 'model_invalid'));
      now += 300 * SECOND;
      see(agent(a, null));
    }
    ask(1, agent(a, null));
    ask(1, agent(a, 'failed', 'model_invalid'));
    expect(failures.last('1:1')).toEqual({ reason: 'model_invalid', detail: 'why' });
    now += 2 * SECOND - 1;
    ask(1, agent(a, null));
    expect(may(a)).toBe(false);
    now += 1;
    ask(1, agent(a, null));
    expect(may(a)).toBe(true);
  });
});
