import { Link } from '@tanstack/react-router';
import { type JSX, useMemo } from 'react';
import { useAccount } from '../session/use-session.js';
import { Loaded } from '../ui/loaded.js';
import { Section } from '../ui/page.js';
import { StatGrid } from '../ui/stat-grid.js';
import { useNow } from '../ui/use-now.js';
import { everyStep, lastRange, rangeBefore, sumOf } from '../usage/usage-range.js';
import { statsOf } from '../usage/usage-stats.js';
import { useUsage } from '../usage/use-usage.js';

/** Requests, errors, tokens and latency of the last 24 hours, against the 24 hours before. */
export function TodayPanel(): JSX.Element {
  const { slug: account } = useAccount();
  const { from, to, step } = lastRange('24h', useNow());
  const range = useMemo(() => ({ from, to, step }), [from, to, step]);
  const before = rangeBefore(range);
  const hours = useUsage({ ...range, group_by: [], latency: true }, { isLive: true });
  const total = useUsage({ from, to, step: 'total', group_by: [], latency: true }, { isLive: true });
  const earlier = useUsage({ from: before.from, to: before.to, step: 'total', group_by: [], latency: true });
  return (
    <Section
      title="Last 24 hours"
      actions={
        <Link to="/$account/usage" params={{ account }} search={{ range: '24h' }} className="text-sm text-accent hover:underline">
          View usage
        </Link>
      }
    >
      <Loaded query={total} what="Figures of the last 24 hours" shape="figures" rows={6}>
        {({ rows }) => (
          <StatGrid
            label="Last 24 hours"
            stats={statsOf({
              total: rows[0] ?? sumOf([]),
              before: earlier.data && (earlier.data.rows[0] ?? sumOf([])),
              steps: everyStep(range, hours.data?.rows ?? []),
            })}
          />
        )}
      </Loaded>
    </Section>
  );
}
