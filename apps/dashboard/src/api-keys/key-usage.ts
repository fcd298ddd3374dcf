import type { UsageRow } from '@slipway/contracts';
import type { ChartSeries } from '../charts/chart-model.js';
import { fillSteps, type Steps, stepsOf } from '../charts/steps.js';

/** How a request ended, roughly. */
export type Outcome = 'completed' | 'cancelled' | 'running' | 'refused' | 'failed';

/** Outcomes as people read them, in the order of a legend, with the colour of each. */
const OUTCOMES: readonly { readonly value: Outcome; readonly label: string; readonly colour: string }[] = [
  { value: 'completed', label: 'Completed', colour: 'series-1' },
  { value: 'cancelled', label: 'Cancelled by the client', colour: 'series-5' },
  { value: 'running', label: 'Running', colour: 'series-8' },
  { value: 'refused', label: 'Refused (4xx)', colour: 'warn' },
  { value: 'failed', label: 'Failed (5xx)', colour: 'bad' },
];

/** Codes of answers with a status from 500 on; all other codes are refusals. */
const FAILURES = new Set([
  ...['auth_unavailable', 'deployment_unavailable', 'overloaded', 'timeout', 'worker_lost', 'engine_error', 'server_shutting_down'],
  ...['internal', 'unavailable'],
]);

/** @param status a word of the ledger: `completed`, `cancelled`, `running`, or the code of an error */
export function outcomeOf(status: string): Outcome {
  if (status === 'completed' || status === 'cancelled' || status === 'running') return status;
  return FAILURES.has(status) ? 'failed' : 'refused';
}

type Amounts = Pick<UsageRow, 'requests' | 'prompt_tokens' | 'cached_tokens' | 'completion_tokens'>;
type StatusRow = Amounts & Pick<UsageRow, 'from' | 'status'>;

/** One value for every step: the sum over its rows, 0 where there is none. */
function sums<R extends { readonly from: string }>(steps: Steps, rows: readonly R[], of: (row: R) => number): readonly (number | null)[] {
  const byStep = new Map<number, number>();
  for (const row of rows) byStep.set(Date.parse(row.from), (byStep.get(Date.parse(row.from)) ?? 0) + of(row));
  return fillSteps(
    steps,
    [...byStep].map(([at, value]) => ({ at, value })),
    0,
  );
}

/** Charts of a key's requests by outcome, without those that never occur, and of its tokens. */
export function seriesOf(
  steps: Steps,
  rows: readonly StatusRow[],
): { readonly at: readonly number[]; readonly requests: readonly ChartSeries[]; readonly tokens: readonly ChartSeries[] } {
  const requests = OUTCOMES.flatMap(({ value, label, colour }) => {
    const own = rows.filter(({ status = '' }) => outcomeOf(status) === value);
    return own.length === 0 ? [] : [{ label, colour, values: sums(steps, own, (row) => row.requests) }];
  });
  const tokens = [
    { label: 'Tokens in', values: sums(steps, rows, (row) => row.prompt_tokens - row.cached_tokens) },
    { label: 'Cached tokens in', values: sums(steps, rows, (row) => row.cached_tokens) },
    { label: 'Tokens out', values: sums(steps, rows, (row) => row.completion_tokens) },
  ];
  return { at: stepsOf(steps), requests, tokens };
}

/** Requests by the word that the ledger has for their end, the most frequent first. */
export function byStatus(
  rows: readonly Pick<UsageRow, 'status' | 'requests'>[],
): readonly { readonly status: string; readonly requests: number }[] {
  const counts = new Map<string, number>();
  for (const { status = '', requests } of rows) counts.set(status, (counts.get(status) ?? 0) + requests);
  return [...counts].map(([status, requests]) => ({ status, requests })).toSorted((a, b) => b.requests - a.requests);
}

/** A word of the ledger as people read it: `rate_limit_exceeded` is "Rate limit exceeded". */
export function statusWords(status: string): string {
  const words = status.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
