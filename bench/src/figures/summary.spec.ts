import { describe, expect, it } from 'vitest';
import { noTokens } from '../clients/token-ledger.js';
import { cellOf, runOf, ttft } from './samples.fixture.js';
import type { Cell } from './run-file.js';
import { type LoadSummary, summarize } from './summary.js';

/** The only summary of a way. */
function only(cells: readonly Cell[], way = 'slipway'): LoadSummary {
  const found = summarize(runOf(cells)).filter((row) => row.way === way);
  const [row] = found;
  if (!row || found.length > 1) throw new Error(`${found.length} summaries of ${way}`);
  return row;
}

describe('what all rounds of a load come to', () => {
  it('counts the processor time of every process, by request', () => {
    const row = only([cellOf('short', 'slipway', 0, { cpu: { gateway: 0.02, postgres: 0.01 }, failed: 50 })]);
    expect(row.micros?.median).toBeCloseTo(200);
    expect(Object.keys(row.split)).toEqual(['gateway', 'postgres']);
    expect(row.split['postgres']).toBeCloseTo(66.7, 1);
  });

  it('counts by token where tokens have a pace', () => {
    const row = only([cellOf('paced', 'slipway', 0, { cpu: { gateway: 0.02 }, lateness: ttft(3, 90) })]);
    expect([row.micros?.median, row.latenessP99?.median, row.late]).toEqual([20, 90, 0]);
  });

  it('compares with nginx in the same round', () => {
    const rounds = [
      [0.001, 0.01],
      [0.002, 0.01],
      [0.001, 0.03],
    ] as const;
    const cells = rounds.flatMap(([nginx, own], round) => [
      cellOf('short', 'nginx', round, { cpu: { nginx } }),
      cellOf('short', 'slipway', round, { cpu: { gateway: own } }),
    ]);
    const { ratio, micros } = only(cells);
    expect([ratio?.median, ratio?.low, ratio?.high].map((figure) => figure?.toFixed(1))).toEqual(['10.0', '5.0', '30.0']);
    expect(micros?.median).toBeCloseTo(100);
  });

  it('has no cost and no ratio where nothing was answered', () => {
    const nothing = { completed: 0, failed: 0, counts: noTokens() };
    const cells = [cellOf('paced', 'nginx', 0, nothing), cellOf('paced', 'slipway', 0, { ...nothing, cpu: { gateway: 1 } })];
    expect(only(cells)).toMatchObject({ micros: null, ratio: null, answered: 0 });
  });

  it('adds the first token’s time to that of the engine itself', () => {
    const cells = [cellOf('short', 'direct', 0, { ttft: ttft(1, 4) }), cellOf('short', 'slipway', 0, { ttft: ttft(3, 9) })];
    expect(only(cells)).toMatchObject({ addedP50: { median: 2 }, addedP99: { median: 5 } });
  });

  it('sums wrong answers over all rounds and the load beside', () => {
    const beside = { completed: 9, failed: 2, total: ttft(1, 1) };
    const counts = { ...noTokens(), tokens: 10, lost: 3, misplaced: 1, garbled: 1, late: 4, veryLate: 2 };
    const cells = [0, 1].map((round) => cellOf('paced', 'slipway', round, { counts, failed: 1, beside, lateness: ttft(1, 1) }));
    expect(only(cells)).toMatchObject({ failed: 6, lost: 6, wrong: 4, late: 8, veryLate: 4, answered: 200 });
  });
});
