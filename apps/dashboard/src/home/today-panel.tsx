import { Link } from '@tanstack/react-router';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount, formatMs } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { useNow } from '../ui/use-now.js';
import { everyStep, sumOf } from '../usage/usage-range.js';

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Requests, errors, tokens and latency of the last 24 hours. */
export function TodayPanel(): JSX.Element {
  const { slug: account } = useAccount();
  const to = Math.floor(useNow() / HOUR_MS) * HOUR_MS + HOUR_MS;
  const range = { from: new Date(to - HOURS * HOUR_MS).toISOString(), to: new Date(to).toISOString() };
  const hours = useCall('usage/query', { ...range, step: 'hour', group_by: [] }, { every: () => 15_000, keep: true });
  const total = useCall('usage/query', { ...range, step: 'total', group_by: [], latency: true }, { every: () => 15_000, keep: true });
  return (
    <Panel
      title="Last 24 hours"
      actions={
        <Link to="/$account/usage" params={{ account }} search={{ range: '24h' }} className="text-accent hover:underline">
          Usage
        </Link>
      }
    >
      <Loaded query={hours} what="Figures of the last 24 hours" rows={2}>
        {({ rows }) => {
          const sums = sumOf(everyStep({ ...range, step: 'hour' }, rows));
          const p95 = total.data?.rows[0]?.latency?.ttft_ms?.p95;
          return (
            <dl className="grid grid-cols-2 gap-4 md:grid-cols-4">
              <Figure label="Requests" value={formatCount(sums.requests)} />
              <Figure label="Errors" value={formatCount(sums.errors)} isBad={sums.errors > 0} />
              <Figure label="Tokens" value={formatCount(sums.prompt_tokens + sums.completion_tokens)} />
              <Figure label="Time to first token, p95" value={p95 === undefined ? '–' : formatMs(p95)} />
            </dl>
          );
        }}
      </Loaded>
    </Panel>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly isBad?: boolean;
}

function Figure({ label, value, isBad = false }: FigureProps): JSX.Element {
  return (
    <div>
      <dt className="text-xs text-muted">{label}</dt>
      <dd className={`text-2xl font-semibold tabular-nums ${isBad ? 'text-bad' : ''}`}>{value}</dd>
    </div>
  );
}
