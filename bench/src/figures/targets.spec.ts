import { describe, expect, it } from 'vitest';
import { cellOf, runOf, ttft } from './samples.fixture.js';
import type { Cell, RunFile } from './run-file.js';
import { verdictsOf } from './targets.js';

const loads: RunFile['loads'] = ['short', 'open-340', 'refused', 'paced-beside'].map((name) => ({ name, title: name, unit: 'request' }));
const verdicts = (cells: readonly Cell[], more: Partial<RunFile> = {}): (string | number | boolean)[][] =>
  verdictsOf(runOf(cells, { loads, ...more })).map(({ target, figure, failed, holds }) => [target, figure, failed, holds]);

const short = (failed: number): Cell[] => [
  cellOf('short', 'nginx', 0, { cpu: { nginx: 0.01 } }),
  cellOf('short', 'slipway', 0, { cpu: { gateway: 0.05, postgres: 0.05 }, failed, completed: 100 - failed }),
];

describe('the targets of a run', () => {
  it('hold or are missed by what all processes took', () => {
    expect(verdicts(short(0))).toEqual([['short request, × nginx', 10, 0, true]]);
    const cells = [
      cellOf('open-340', 'direct', 0, { ttft: ttft(1, 1) }),
      cellOf('open-340', 'slipway', 0, { ttft: ttft(2, 10) }),
      cellOf('refused', 'slipway', 0, { cpu: { gateway: 0.02 } }),
    ];
    expect(verdicts(cells).map(([, figure, , holds]) => [figure, holds])).toEqual([
      [1, true],
      [9, false],
      [200, false],
    ]);
  });

  it('are missed where a request of their load failed', () => {
    expect(verdicts(short(1))).toEqual([['short request, × nginx', 10, 1, false]]);
  });

  it('are missed by one late token', () => {
    const late = { tokens: 9, lost: 0, doubled: 0, misplaced: 0, late: 1, veryLate: 0, garbled: 0 };
    expect(verdicts([cellOf('paced-beside', 'slipway', 0, { counts: late, lateness: ttft(1, 1) })])).toEqual([
      ['late tokens beside short requests', 1, 0, false],
    ]);
  });

  it('are left out where nothing was measured', () => {
    expect(verdicts([])).toEqual([]);
    expect(verdicts([], { idle: [{ way: 'slipway', streams: 250, failed: 0, bytes: { gateway: -1 } }] })).toEqual([]);
  });

  it('count every process at rest', () => {
    const figure = { way: 'slipway', processes: 1, percent: 1.75, bytes: 200 * 2 ** 20, wakeUpsPerSecond: 1 };
    const rest = ['gateway', 'postgres'].map((process) => ({ ...figure, process }));
    expect(verdicts([], { rest })).toEqual([
      ['at rest, all processes, % of one core', 3.5, 0, false],
      ['at rest, all processes, MiB (PSS)', 400, 0, true],
    ]);
  });
});
