import { type JSX, lazy, Suspense, useMemo } from 'react';
import { type Column, Table } from '../ui/table.js';
import { type Figure, type Series, written } from './figures.js';
import { type StepRow, stepText, type UsageRange } from './usage-range.js';

const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.js')).UsageChart }));

export interface FigureOverTimeProps {
  readonly figure: Figure;
  readonly range: UsageRange;
  /** Every step of the range. */
  readonly steps: readonly StepRow[];
  /** Of the same length each as the steps. */
  readonly series: readonly Series[];
}

const TITLES = { minute: 'Minute (UTC)', hour: 'Hour (UTC)', day: 'Day (UTC)' } as const;

/** A chart, and the same as a table. */
export function FigureOverTime({ figure, range: { step }, steps, series }: FigureOverTimeProps): JSX.Element {
  const at = useMemo(() => steps.map(({ from }) => Date.parse(from)), [steps]);
  // Steps without a request hold nothing in any line.
  const told = steps.map((row, index) => ({ row, index })).filter(({ index }) => series.some(({ values }) => (values[index] ?? 0) !== 0));
  const columns: Column<(typeof told)[number]>[] = [
    { title: TITLES[step], cell: ({ row }) => stepText(row.from, step) },
    ...series.map(({ label, values }) => ({
      title: label,
      numeric: true,
      cell: ({ index }: (typeof told)[number]) => written(figure, values[index] ?? null),
    })),
  ];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Suspense fallback={<div className="min-h-[16rem]" />}>
        <UsageChart step={step} at={at} series={series} format={figure.format} isSum={figure.isSum} />
      </Suspense>
      {figure.about !== undefined && <p className="text-sm text-muted">{figure.about}</p>}
      <details>
        <summary className="text-sm font-medium">{figure.label} as a table</summary>
        <div className="pt-3">
          {told.length === 0 ? (
            <p className="text-muted">Nothing in this time.</p>
          ) : (
            <Table caption={`${figure.label} over time`} columns={columns} rows={told.toReversed()} keyOf={({ row }) => row.from} />
          )}
        </div>
      </details>
    </div>
  );
}
