import type { UsageRow } from '@slipway/contracts';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount, formatPercent } from '../format/number.js';
import { formatClock } from '../format/time.js';
import { Loaded } from '../ui/loaded.js';
import { Page } from '../ui/page.js';
import { ExportButton } from './export-button.js';
import { CACHED, DURATION, SPEED, TOKENS_IN, TOKENS_OUT, TTFT, written } from './figures.js';
import { useRange } from './range-fields.js';
import { UsageBreakdown } from './usage-breakdown.js';
import { UsageOverTime } from './usage-over-time.js';
import { sumOf, type UsageRange } from './usage-range.js';

export function UsageScreen(): JSX.Element {
  const { range, fields } = useRange();
  const over = useCall('usage/query', { ...range, group_by: [], latency: true }, { every: () => 15_000, keep: true });
  return (
    <Page
      title="Usage"
      about="What this account’s deployments were asked. Minutes, hours and days are UTC."
      actions={<ExportButton range={range} />}
    >
      {fields}
      <Loaded query={over} what="Usage" rows={6}>
        {({ rows, as_of: asOf }) => (
          <div className={`grid grid-cols-[minmax(0,1fr)] gap-5 ${over.isPlaceholderData ? 'opacity-60' : ''}`}>
            <Totals rows={rows} range={range} />
            <UsageOverTime range={range} rows={rows} />
            <p className="text-sm text-muted">
              As of {formatClock(Date.parse(asOf))}. Requests count a second or two after they end, long ones each minute. A request counts
              in the {range.step} in which it began. Times are of completed requests and true to 5 %.
            </p>
          </div>
        )}
      </Loaded>
      <UsageBreakdown range={range} />
    </Page>
  );
}

function Totals({ rows, range: { from, to } }: { readonly rows: readonly UsageRow[]; readonly range: UsageRange }): JSX.Element {
  const whole = useCall('usage/query', { from, to, step: 'total', group_by: [], latency: true }, { every: () => 15_000, keep: true });
  // Percentiles of parts make none of the whole.
  const latency = whole.data?.rows[0]?.latency;
  const sums = { ...sumOf(rows), latency };
  const { requests, errors } = sums;
  const share = errors > 0 ? ` (${errors < requests / 100 ? '<1 %' : formatPercent(errors / requests)})` : '';
  const figures: readonly (readonly [string, string])[] = [
    ['Requests', formatCount(requests)],
    ['Errors', `${formatCount(errors)}${share}`],
    ...[TOKENS_IN, CACHED, TOKENS_OUT].map((figure) => [figure.label, written(figure, figure.lines[0].of(sums))] as const),
    ...[TTFT, DURATION, SPEED].flatMap((figure) => figure.lines.map(({ label, of }) => [label, written(figure, of(sums))] as const)),
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-5">
      {figures.map(([label, value]) => (
        <div key={label} className="rounded-lg border border-line bg-surface p-3">
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
