import { describe, expect, it } from 'vitest';
import { byStatus, outcomeOf, seriesOf, statusWords } from './key-usage.js';

const at = (time: string): number => Date.parse(`2026-11-21T${time}Z`);

const row = (from: string, status: string, requests: number) => ({
  ...{ from: new Date(at(from)).toISOString(), status, requests },
  ...{ prompt_tokens: 10 * requests, cached_tokens: 4 * requests, completion_tokens: 2 * requests },
});

describe('the charts of a key', () => {
  const steps = { from: at('10:00:00'), to: at('15:00:00'), stepMs: 3_600_000 };
  const rows = [row('11:00:00', 'completed', 3), row('11:00:00', 'model_mismatch', 1), row('11:00:00', 'rate_limit_exceeded', 2)];

  it('have a value for every hour, and add the codes of one outcome', () => {
    const { at: begins, requests } = seriesOf(steps, rows);
    expect(begins).toHaveLength(5);
    expect(requests.map(({ label }) => label)).toEqual(['Completed', 'Refused (4xx)']);
    expect(requests[1]?.values).toEqual([0, 3, 0, 0, 0]);
  });

  it('count no cached token twice', () => {
    const values = seriesOf(steps, rows).tokens.map((one) => one.values[1]);
    expect(values).toEqual([36, 24, 12]);
  });
});

it.each([
  ['completed', 'completed'],
  ['cancelled', 'cancelled'],
  ['rate_limit_exceeded', 'refused'],
  ['a_code_of_a_newer_version', 'refused'],
  ['engine_error', 'failed'],
  ['overloaded', 'failed'],
])('the status %s is %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome);
});

it('requests by status are added over time, the most frequent first', () => {
  const rows = [row('10:00:00', 'deployment_stopped', 1), row('11:00:00', 'completed', 3), row('12:00:00', 'deployment_stopped', 1)];
  expect(byStatus(rows)).toEqual([
    { status: 'completed', requests: 3 },
    { status: 'deployment_stopped', requests: 2 },
  ]);
  expect(statusWords('deployment_stopped')).toBe('Deployment stopped');
});
