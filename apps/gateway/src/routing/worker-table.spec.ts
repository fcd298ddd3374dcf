import { type DeploymentId, type Heartbeat, type Incarnation, runnerName } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type Standing, WorkerTable } from './worker-table.js';

const [ONE, TWO] = [1, 2] as [DeploymentId, DeploymentId];
const agent = 'agent' as Incarnation;
const heartbeat = (wk: string, dep: DeploymentId, changes: Partial<Heartbeat> = {}): Heartbeat => ({
  ...{ wk: wk as Incarnation, dep, rev: 1, fp: 'f', state: 'ready', n: 1, slots: 1, used: 0, queued: 0 },
  ...{ proto: ['1.0', '1.0'], caps: [], zone: null },
  ...changes,
});
const tableOf = (standing: () => Standing): WorkerTable => new WorkerTable(() => 0, standing);
/** How many of `count` heartbeats, each of another runner, are kept. */
const kept = (table: WorkerTable, count: number, report: (n: number) => Heartbeat): number =>
  Array.from({ length: count }, (_, n) => table.report(report(n))).filter(Boolean).length;

describe('the table of runners', () => {
  it('accepts a runner only for its own deployment', () => {
    const table = tableOf(() => 'named');
    const name = runnerName(agent, ONE, 'x1');
    expect([table.report(heartbeat(name, TWO)), table.report(heartbeat(name, ONE))]).toEqual([false, true]);
    expect([table.isReady(TWO), table.isReady(ONE)]).toEqual([false, true]);
    expect(table.deployments()).toEqual([ONE]);
  });

  it.each(['agent', 'agent-4bMGtWoFK0yGKFaSFhIiHE', 'run-77aa', '4bMGtWoFK0yGKFaSFhIiHE'])(
    'takes %s, whose name contains no deployment, for any',
    (name) => {
      const table = tableOf(() => 'named');
      expect([table.report(heartbeat(name, ONE)), table.report(heartbeat(name, TWO))]).toEqual([true, true]);
    },
  );

  it('bounds the runners of one agent', () => {
    for (const standing of ['named', 'unknown'] as const) {
      const invented = kept(
        tableOf(() => standing),
        2_000,
        (n) => heartbeat(runnerName(agent, ONE, `x${n}`), ONE),
      );
      expect(invented).toBe(1_024);
    }
    expect(
      kept(
        tableOf(() => 'foreign'),
        2_000,
        (n) => heartbeat(runnerName(agent, ONE, `x${n}`), ONE),
      ),
    ).toBe(256);
  });

  it('bounds one unnamed agent over all deployments', () => {
    const table = tableOf(() => 'unknown');
    expect(kept(table, 5_000, (n) => heartbeat('agent-x', (n + 1) as DeploymentId))).toBe(4_096);
    expect(kept(table, 10, (n) => heartbeat(`other-${n}`, ONE))).toBe(10);
    table.sweep();
    expect(table.report(heartbeat('agent-x', 5_001 as DeploymentId))).toBe(false);
  });

  it('bounds all unnamed runners, and no named one', () => {
    let standing: Standing = 'unknown';
    const table = tableOf(() => standing);
    expect(kept(table, 70_000, (n) => heartbeat(`a${n}`, (n + 1) as DeploymentId))).toBe(65_536);
    standing = 'named';
    expect(table.report(heartbeat('late', ONE))).toBe(true);
    table.sweep();
    standing = 'unknown';
    expect(table.report(heartbeat('later', ONE))).toBe(true);
  });
});
