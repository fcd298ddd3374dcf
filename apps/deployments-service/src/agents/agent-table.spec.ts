import type { AgentHeartbeat, Incarnation } from '@slipway/contracts';
import { beforeEach, expect, it } from 'vitest';
import { AgentTable } from './agent-table.js';

const heartbeatOf = (wk: string): AgentHeartbeat => ({
  wk: wk as Incarnation,
  host: 'h',
  zone: null,
  mem_free: 1,
  cpu: 1,
  gpus: 0,
  engines: ['llama'],
  cached: [],
  draining: false,
  loads: [],
});

let now: number;
let table: AgentTable;
beforeEach(() => {
  now = 1_000;
  table = new AgentTable(() => now);
  table.connected();
});

/** Time passes in the steps in which a living process looks. */
function pass(milliseconds: number): string[] {
  for (const end = now + milliseconds; now < end;) {
    now += Math.min(250, end - now);
    table.live();
  }
  return table.live().map(({ wk }) => wk);
}

it('drops an agent after five seconds of silence', () => {
  table.report(heartbeatOf('a'));
  expect(pass(5_000)).toEqual(['a']);
  expect(pass(250)).toEqual([]);
});

it('lists an agent again after a new heartbeat', () => {
  table.report(heartbeatOf('a'));
  pass(6_000);
  table.report(heartbeatOf('a'));
  expect(pass(250)).toEqual(['a']);
});

it('drops no agent during a disconnection of its own', () => {
  table.report(heartbeatOf('a'));
  table.disconnected();
  expect(table.listeningFor()).toBeNull();
  expect(pass(60_000)).toEqual(['a']);
  table.connected();
  expect(pass(5_000)).toEqual(['a']);
  expect(table.listeningFor()).toBe(5_000);
  expect(pass(250)).toEqual([]);
});

it('gives agents their full time after a stall', () => {
  table.report(heartbeatOf('a'));
  now += 30_000;
  expect(pass(0)).toEqual(['a']);
  expect(pass(5_000)).toEqual(['a']);
  expect(pass(250)).toEqual([]);
});

it('shows a drained agent as one that drains', () => {
  for (const wk of ['a', 'b']) table.report(heartbeatOf(wk));
  table.report({ ...heartbeatOf('c'), draining: true });
  table.drain(['a', 'c']);
  const seen = table.live().map(({ wk, draining, drained = false }) => [wk, draining, drained]);
  expect(seen).toEqual([
    ['a', true, true],
    ['b', false, false],
    ['c', true, false],
  ]);
  table.drain([]);
  expect(table.live()[0]).toMatchObject({ wk: 'a', draining: false });
});
