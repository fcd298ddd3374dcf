import { describe, expect, it } from 'vitest';
import type { ProcessReading } from './process-figures.js';
import { cpuBetween, holdings, type ProcessTable, processTable } from './process-table.js';

const MS = 1e6;

interface Row {
  readonly pid: number;
  readonly group: string;
  readonly parent?: number;
  readonly startTime?: number;
  /** Milliseconds. */
  readonly live?: number;
  readonly all?: number;
  readonly reaped?: number;
}

const table = (...rows: readonly Row[]): ProcessTable =>
  new Map(
    rows.map(({ pid, group, parent = 1, startTime = pid, live = 0, all = live, reaped = 0 }) => {
      const reading: ProcessReading = { pid, parent, startTime, liveNs: live * MS, allNs: all * MS, reapedNs: reaped * MS };
      return [pid, { group, reading }] as const;
    }),
  );

/** Milliseconds by group. */
const msBetween = (before: ProcessTable, after: ProcessTable): Record<string, number> =>
  Object.fromEntries(Object.entries(cpuBetween(before, after)).map(([group, seconds]) => [group, Math.round(seconds * 1_000)]));

describe('processor time between two tables', () => {
  it('is what live threads took, by group', () => {
    const before = table(
      { pid: 1, group: 'gateway', live: 100 },
      { pid: 2, group: 'worker', live: 7 },
      { pid: 3, group: 'worker', live: 1 },
    );
    const after = table(
      { pid: 1, group: 'gateway', live: 103 },
      { pid: 2, group: 'worker', live: 8 },
      { pid: 3, group: 'worker', live: 5 },
    );
    expect(msBetween(before, after)).toEqual({ gateway: 3, worker: 5 });
  });

  it('includes the threads that ended between them', () => {
    const before = table({ pid: 1, group: 'gateway', live: 100, all: 100 });
    const after = table({ pid: 1, group: 'gateway', live: 60, all: 190 });
    expect(msBetween(before, after)).toEqual({ gateway: 90 });
  });

  it('includes processes that began or ended between them', () => {
    const before = table({ pid: 1, group: 'postgres', live: 100, reaped: 10 }, { pid: 2, group: 'postgres', parent: 1, live: 40 });
    const after = table({ pid: 1, group: 'postgres', live: 101, reaped: 58 }, { pid: 3, group: 'postgres', parent: 1, live: 5 });
    // 1 of the first, 8 of the one that ended, 5 of the one that began.
    expect(msBetween(before, after)).toEqual({ postgres: 14 });
  });

  it('takes a reused process number for another process', () => {
    const before = table({ pid: 1, group: 'a', live: 0 }, { pid: 2, group: 'a', parent: 1, startTime: 5, live: 40 });
    const after = table({ pid: 1, group: 'a', live: 0, reaped: 41 }, { pid: 2, group: 'a', parent: 1, startTime: 9, live: 3 });
    expect(msBetween(before, after)).toEqual({ a: 4 });
  });
});

describe('the table of a running process', () => {
  it('has it under the name that it is given', () => {
    const groupOf = (pid: number, above: string): string => (pid === process.pid ? 'this' : above);
    const before = processTable(process.pid, groupOf);
    const spent = Array.from({ length: 2_000_000 }, (_, i) => Math.sqrt(i)).length;
    const after = processTable(process.pid, groupOf);
    expect([before.get(process.pid)?.group, spent]).toEqual(['this', 2_000_000]);
    expect(cpuBetween(before, after)['this']).toBeGreaterThan(0);
    expect(holdings(after)['this']?.bytes).toBeGreaterThan(1_000_000);
  });
});
