import { type JSX, useMemo } from 'react';
import { TimeSeries } from '../charts/time-series.js';
import type { ChartSeries } from '../charts/chart-model.js';
import type { Figure, Series } from './figures.js';
import { STEP_MS, type StepRow, type UsageRange } from './usage-range.js';

export interface FigureOverTimeProps {
  readonly figure: Figure;
  readonly range: UsageRange;
  /** Every step of the range. */
  readonly steps: readonly StepRow[];
  /** Of the same length each as the steps. */
  readonly series: readonly Series[];
  /** Charts of one group show the same crosshair. */
  readonly group?: string;
}

/** Percentiles of one measure are steps of one hue. */
const PERCENTILE_COLOURS = ['step-1', 'step-3', 'step-4'];

const coloured = ({ isSum, lines }: Figure, series: readonly Series[]): readonly ChartSeries[] =>
  isSum || lines.length < 2 || series.length !== lines.length
    ? series
    : series.map((one, place) => ({ ...one, colour: PERCENTILE_COLOURS[place] ?? 'step-4' }));

/** A figure over time: sums as bars, measurements as lines. */
export function FigureOverTime({ figure, range: { step }, steps, series, group }: FigureOverTimeProps): JSX.Element {
  const at = useMemo(() => steps.map(({ from }) => Date.parse(from)), [steps]);
  const shown = useMemo(() => coloured(figure, series), [figure, series]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <TimeSeries
        label={figure.label}
        at={at}
        stepMs={STEP_MS[step]}
        series={shown}
        kind={figure.isSum ? 'bars' : 'lines'}
        unit={figure.unit}
        empty={`No ${figure.value === 'errors' ? 'errors' : 'requests'} in this range`}
        {...(group !== undefined && { group })}
      />
      {figure.about !== undefined && <p className="text-sm text-muted">{figure.about}</p>}
    </div>
  );
}
