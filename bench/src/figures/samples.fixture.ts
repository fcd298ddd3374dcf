import { noTokens } from '../clients/token-ledger.js';
import type { Cell, RunFile } from './run-file.js';

const summary = (p50: number, p99: number): Cell['ttft'] => ({ count: 100, p50, p99, max: p99 });

/** A cell in which 100 requests of 10 tokens each were answered. */
export const cellOf = (load: string, way: string, round: number, more: Partial<Cell> = {}): Cell => ({
  ...{ load, way, round, seconds: 2, completed: 100, failed: 0, statuses: { 200: 100 }, firstFailure: null },
  ...{ counts: { ...noTokens(), tokens: 1_000 }, ttft: summary(1, 2), total: summary(1, 2), lateness: null, engineLag: summary(0, 0) },
  cpu: {},
  ...more,
});

/** Times to first token. */
export const ttft = summary;

/** A run of loads `short`, by request, and `paced`, by token. */
export const runOf = (cells: readonly Cell[], more: Partial<RunFile> = {}): RunFile => ({
  ...{ form: 1, at: '2026-01-02T03:04:05.000Z', seconds: 600, rounds: 3, share: 1, against: null, cells, rest: [], idle: [] },
  machine: { cores: 2, processor: 'P', node: 'v20.0.0', load: [0.1, 2] },
  ways: ['direct', 'nginx', 'slipway'].map((name) => ({ name, version: '1', does: [], lacks: [] })),
  loads: [
    { name: 'short', title: 'short request', unit: 'request' },
    { name: 'paced', title: 'token', unit: 'token' },
  ],
  ...more,
});
