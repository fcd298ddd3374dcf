import type { Summary } from '../clients/histogram.js';
import type { TokenCounts } from '../clients/token-ledger.js';
import type { Unit } from '../loads/loads.js';

/** What one way came to under one load in one round. */
export interface Cell {
  readonly load: string;
  readonly way: string;
  readonly round: number;
  readonly seconds: number;
  readonly completed: number;
  readonly failed: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly firstFailure: string | null;
  readonly counts: TokenCounts;
  /** In milliseconds. */
  readonly ttft: Summary;
  readonly total: Summary;
  /** How long after they were due tokens arrived; null where they have no pace. */
  readonly lateness: Summary | null;
  /** Processor time by process, in seconds. */
  readonly cpu: Readonly<Record<string, number>>;
  /** How late the engine itself wrote, in milliseconds. */
  readonly engineLag: Summary;
  /** Of the load beside it: answered, and not. */
  readonly beside?: { readonly completed: number; readonly failed: number; readonly total: Summary };
}

/** A process at rest. */
export interface RestFigure {
  readonly way: string;
  readonly process: string;
  readonly processes: number;
  /** Of one core. */
  readonly percent: number;
  /** PSS. */
  readonly bytes: number;
  readonly wakeUpsPerSecond: number;
}

/** Growth of memory by a stream that has had its first token and waits for the second. */
export interface IdleFigure {
  readonly way: string;
  readonly streams: number;
  readonly failed: number;
  /** Bytes (PSS) of each stream, by process. */
  readonly bytes: Readonly<Record<string, number>>;
}

/** Who took part. */
export interface WayNote {
  readonly name: string;
  readonly version: string;
  readonly does: readonly string[];
  readonly lacks: readonly string[];
}

/** Everything that a run measured: one JSON file. */
export interface RunFile {
  /** Of this file; another number is another form. */
  readonly form: 1;
  /** When it began. */
  readonly at: string;
  readonly seconds: number;
  readonly machine: {
    readonly cores: number;
    readonly processor: string;
    readonly node: string;
    /** Load average before and after. */
    readonly load: readonly [before: number, after: number];
  };
  readonly rounds: number;
  /** Part of their time that loads had; 1 unless `--quick`. */
  readonly share: number;
  readonly ways: readonly WayNote[];
  readonly loads: readonly { readonly name: string; readonly title: string; readonly unit: Unit }[];
  /** The way of the other state of Slipway that this one is compared with; null without one. */
  readonly against: string | null;
  readonly cells: readonly Cell[];
  readonly rest: readonly RestFigure[];
  readonly idle: readonly IdleFigure[];
}
