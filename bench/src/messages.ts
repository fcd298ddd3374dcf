import type { AnswerScript } from './answer-script.js';
import type { Summary } from './histogram.js';
import type { TokenCounts } from './token-ledger.js';

/** What the upstream did since it was last asked. */
export interface UpstreamReport {
  /** How late it wrote tokens itself, in milliseconds. */
  readonly lag: Summary;
  readonly requests: number;
}

/** Where requests go. */
export interface Target {
  readonly port: number;
  readonly path: string;
  readonly model: string;
  /** API key, where one is wanted. */
  readonly key: string | null;
}

/** How requests come. */
export type Arrival =
  /** Each of `concurrency` clients sends its next request when the last one is answered. */
  | { readonly kind: 'closed'; readonly concurrency: number; readonly requests: number; readonly withinMs?: number }
  /** At a constant rate, whatever the answers do. */
  | { readonly kind: 'open'; readonly perSecond: number; readonly requests: number };

/** One series of equal requests. */
export interface Series {
  readonly target: Target;
  readonly arrival: Arrival;
  readonly stream: boolean;
  readonly script: AnswerScript;
  /** Size of the request body in bytes; null = as small as it gets. */
  readonly bodyBytes: number | null;
  readonly wantedStatus: readonly number[];
}

/** What the clients of a series saw. */
export interface SeriesResult {
  readonly seconds: number;
  readonly completed: number;
  /** Answered with another status, or with a broken connection. */
  readonly failed: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly firstFailure: string | null;
  /** From the request to its first token. */
  readonly ttft: Summary;
  /** From the request to the end of its answer. */
  readonly total: Summary;
  /** How long after they were due tokens arrived. */
  readonly lateness: Summary;
  readonly counts: TokenCounts;
}
