import type { Summary } from './clients/histogram.js';
import type { TokenCounts } from './clients/token-ledger.js';
import type { AnswerScript } from './engine/answer-script.js';

/** What the engine did since it was last asked. */
export interface EngineReport {
  /** How late it wrote tokens itself, in milliseconds. */
  readonly lag: Summary;
  readonly requests: number;
}

/** Where requests go. */
export interface Target {
  /** Of each gateway: connections go to them in turn. */
  readonly ports: readonly [number, ...number[]];
  readonly path: string;
  readonly model: string;
  /** API key, where one is wanted. */
  readonly key: string | null;
  /** Header that carries it: `x-api-key` by itself, `authorization` after `Bearer`. */
  readonly keyHeader: 'x-api-key' | 'authorization';
  /** What else a server wants. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How requests come; the last one begins within `withinMs`. */
export type Arrival =
  /** Each of `concurrency` clients sends its next request when the last one is answered; all together at most `requests`. */
  | { readonly kind: 'closed'; readonly concurrency: number; readonly withinMs: number; readonly requests?: number }
  /** At a constant rate, whatever the answers do. */
  | { readonly kind: 'open'; readonly perSecond: number; readonly withinMs: number };

/** Equal requests, wherever they go. */
export interface Requests {
  readonly arrival: Arrival;
  readonly stream: boolean;
  readonly script: AnswerScript;
  /** Size of the request body in bytes; null = as small as it gets. */
  readonly bodyBytes: number | null;
  readonly wantedStatus: readonly number[];
  /** Absent = chat completions. */
  readonly contract?: 'responses';
  /** The response is stored for later requests; absent = it is not. */
  readonly stored?: true;
}

/** One series of equal requests. */
export interface Series extends Requests {
  readonly target: Target;
}

/** What the clients of a series saw. */
export interface SeriesResult {
  readonly seconds: number;
  readonly completed: number;
  /** Answered with another status or with a broken connection, or not within the time. */
  readonly failed: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly firstFailure: string | null;
  /** From the request to its first token, in milliseconds. */
  readonly ttft: Summary;
  /** From the request to the end of its answer, in milliseconds. */
  readonly total: Summary;
  /** How long after they were due tokens arrived, in milliseconds. */
  readonly lateness: Summary;
  readonly counts: TokenCounts;
}

/** After the last request of a series, answers are waited for this long. */
const ANSWERS_WITHIN_MS = 20_000;

/** Time in which an answer with this script is whole, if nothing is in its way; with what is waited for beyond that. */
export const deadlineMs = ({ arrival, script }: Requests): number => arrival.withinMs + script.tokens * script.gapMs + ANSWERS_WITHIN_MS;
