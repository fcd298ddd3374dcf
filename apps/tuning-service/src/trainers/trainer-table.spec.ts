import type { TrainerHeartbeat } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { TrainerTable } from './trainer-table.js';

const beat = (tw: string, more: object = {}): TrainerHeartbeat =>
  ({
    tw,
    host: tw,
    slots: [],
    trainers: [],
    bases: [],
    disk_free: 2 ** 40,
    draining: false,
    features: [],
    assigned: null,
    ...more,
  }) as never;

function bench() {
  const clock = { now: 0 };
  const table = new TrainerTable(() => clock.now);
  table.connected();
  return { clock, table };
}
const names = (table: TrainerTable): string[] => table.live().map(({ host }) => host);

describe('training workers', () => {
  it('are lost after 15 s of silence, not before', () => {
    const { clock, table } = bench();
    table.report(beat('b'));
    table.report(beat('a'));
    clock.now = 14_999;
    table.report(beat('b'));
    expect(names(table)).toEqual(['a', 'b']);
    clock.now = 15_000;
    expect(names(table)).toEqual(['b']);
  });

  it('are not judged before they could have been heard for 15 s', () => {
    const { clock, table } = bench();
    clock.now = 14_999;
    expect(table.canJudge).toBe(false);
    clock.now = 15_000;
    expect(table.canJudge).toBe(true);
  });

  it('are not lost by a connection that was away', () => {
    const { clock, table } = bench();
    table.report(beat('a'));
    table.disconnected();
    clock.now = 60_000;
    expect([names(table), table.canJudge]).toEqual([['a'], false]);
    table.connected();
    expect([names(table), table.canJudge]).toEqual([['a'], false]);
    clock.now = 75_000;
    expect([names(table), table.canJudge]).toEqual([[], true]);
  });

  it('wake placement by what is new alone', () => {
    const { table } = bench();
    expect(table.report(beat('a'))).toBe(true);
    expect(table.report(beat('a', { disk_free: 2 ** 39 }))).toBe(false);
    expect(table.report(beat('a', { draining: true }))).toBe(true);
  });
});
