import { describe, expect, it } from 'vitest';
import { noTokens } from '../clients/token-ledger.js';
import { type GateRow, gateOf } from './gate.js';
import { cellOf, runOf } from './samples.fixture.js';
import type { Cell } from './run-file.js';

/** Rounds of a load, in which the product took so many times what its other state took. */
const rounds = (load: string, ratios: readonly number[], more: Partial<Cell> = {}): Cell[] =>
  ratios.flatMap((ratio, round) => {
    // A machine that is slower in every second round.
    const base = round % 2 === 0 ? 0.01 : 0.02;
    return [cellOf(load, 'old', round, { cpu: { a: base } }), cellOf(load, 'slipway', round, { cpu: { a: base * ratio }, ...more })];
  });

const gate = (...cells: readonly Cell[]): GateRow[] => gateOf(runOf(cells), 'slipway', 'old');
const holds = (...cells: readonly Cell[]): boolean[] => gate(...cells).map((row) => row.holds);

describe('the gate between two states of the product', () => {
  it('lets through what costs the same, and three per cent more', () => {
    expect(holds(...rounds('short', [1, 1, 1]), ...rounds('paced', [1.029, 1.029, 1.029]))).toEqual([true, true]);
  });

  it('stops what is dearer in every round', () => {
    const [row] = gate(...rounds('short', [1.06, 1.061, 1.059]));
    expect(row).toMatchObject({ load: 'short', rounds: 3, holds: false, wrong: 0 });
    expect([row?.ratio, row?.allowed].map((figure) => figure?.toFixed(3))).toEqual(['1.060', '1.032']);
  });

  it('allows more where rounds differ more', () => {
    expect(holds(...rounds('short', [0.9, 1.06, 1.2]))).toEqual([true]);
    expect(holds(...rounds('short', [1.4, 1.5, 1.6]))).toEqual([false]);
  });

  it('is not misled by rounds that agree by chance', () => {
    const wide = [0.9, 1, 1.1];
    const row = gate(...rounds('short', [1.05, 1.05, 1.05]), ...rounds('paced', wide));
    expect(row[0]?.allowed).toBeGreaterThan(1.05);
    expect(row[0]?.holds).toBe(true);
  });

  it('is sharper with more rounds', () => {
    const noisy = [0.97, 1.03, 1.0, 1.02, 0.98].map((ratio) => ratio * 1.08);
    const many = Array.from({ length: 4 }, () => noisy).flat();
    const [few, more] = [gate(...rounds('short', noisy))[0], gate(...rounds('short', many))[0]];
    expect(more?.allowed).toBeLessThan(few?.allowed ?? 0);
    expect(more?.holds).toBe(false);
  });

  it('stops a state that loses tokens which the other did not', () => {
    const [row] = gate(...rounds('short', [0.5, 0.5, 0.5], { counts: { ...noTokens(), tokens: 1_000, lost: 1 } }));
    expect(row).toMatchObject({ wrong: 3, holds: false });
  });
});
