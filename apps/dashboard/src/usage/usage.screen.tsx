import type { UsageRow } from '@slipway/contracts';
import { type JSX, lazy, Suspense, useMemo, useState } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount } from '../format/number.js';
import { formatClock, formatDay } from '../format/time.js';
import { SelectField } from '../ui/field.js';
import { Loaded } from '../ui/loaded.js';
import { Page, Panel } from '../ui/page.js';
import { Table } from '../ui/table.js';
import { useNow } from '../ui/use-now.js';
import { ExportButton } from './export-button.js';
import { FIGURES, UsageBreakdown } from './usage-breakdown.js';
import { everyStep, type RangeName, RANGES, rangeOf, type Sums, sumOf, type UsageRange } from './usage-range.js';

const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.js')).UsageChart }));

type Figure = keyof Sums;

const CHARTS: readonly { readonly value: Figure; readonly label: string }[] = [
  { value: 'requests', label: 'Requests' },
  { value: 'errors', label: 'Errors' },
  { value: 'prompt_tokens', label: 'Tokens in' },
  { value: 'completion_tokens', label: 'Tokens out' },
];

export function UsageScreen(): JSX.Element {
  const [name, setName] = useState<RangeName>('24h');
  const range = rangeOf(name, useNow());
  const over = useCall('usage/query', { ...range, group_by: [] }, { every: () => 15_000 });
  return (
    <Page
      title="Usage"
      about="What this account’s deployments were asked. Days and hours are UTC."
      actions={<ExportButton range={range} />}
    >
      <div className="max-w-56">
        <SelectField
          label="Range"
          choices={RANGES}
          value={name}
          onChange={({ target }) => setName(RANGES.find(({ value }) => value === target.value)?.value ?? '24h')}
        />
      </div>
      <Loaded query={over} what="Usage" rows={6}>
        {({ rows, as_of: asOf }) => (
          <>
            <Totals rows={rows} />
            <OverTime range={range} rows={rows} />
            <p className="text-sm text-muted">
              As of {formatClock(Date.parse(asOf))}. Requests count a second or two after they end, long ones each minute. A request counts
              in the {range.step} in which it began.
            </p>
          </>
        )}
      </Loaded>
      <UsageBreakdown range={range} />
    </Page>
  );
}

function Totals({ rows }: { readonly rows: readonly UsageRow[] }): JSX.Element {
  const sums = sumOf(rows);
  const figures = [
    ['Requests', sums.requests],
    ['Errors', sums.errors],
    ['Tokens in', sums.prompt_tokens],
    ['Of them cached', sums.cached_tokens],
    ['Tokens out', sums.completion_tokens],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-3 sm:grid-cols-5">
      {figures.map(([label, value]) => (
        <div key={label} className="rounded-lg border border-line bg-surface p-3">
          <dt className="text-sm text-muted">{label}</dt>
          <dd className="text-xl font-semibold tabular-nums">{formatCount(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function OverTime({ range, rows }: { readonly range: UsageRange; readonly rows: readonly UsageRow[] }): JSX.Element {
  const [figure, setFigure] = useState<Figure>('requests');
  const { from, to, step } = range;
  const steps = useMemo(() => everyStep({ from, to, step }, rows), [from, to, step, rows]);
  const at = useMemo(() => steps.map((row) => Date.parse(row.from)), [steps]);
  const values = useMemo(() => steps.map((row) => row[figure]), [steps, figure]);
  const label = CHARTS.find(({ value }) => value === figure)?.label ?? '';
  const whenOf = ({ from: begin }: { readonly from: string }): string =>
    step === 'day' ? formatDay(begin) : begin.slice(0, 16).replace('T', ' ');
  return (
    <Panel title="Over time">
      <div className="max-w-56">
        <SelectField
          label="Show"
          choices={CHARTS}
          value={figure}
          onChange={({ target }) => setFigure(CHARTS.find(({ value }) => value === target.value)?.value ?? 'requests')}
        />
      </div>
      <Suspense fallback={<div className="min-h-[16rem]" />}>
        <UsageChart label={label} step={step} at={at} values={values} />
      </Suspense>
      <details>
        <summary className="text-sm font-medium">The same as a table</summary>
        <div className="pt-3">
          <Table
            caption={`Usage by ${step}`}
            columns={[{ title: step === 'day' ? 'Day' : 'Hour', cell: whenOf }, ...FIGURES]}
            rows={steps.filter(({ requests }) => requests > 0).toReversed()}
            keyOf={({ from: begin }) => begin}
          />
        </div>
      </details>
    </Panel>
  );
}
