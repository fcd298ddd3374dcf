import type { UsageRow } from '@slipway/contracts';
import type { ChartBefore, ChartKind, ChartSeries, ChartUnit } from '../charts/chart-model.js';
import { COUNT } from '../charts/units.js';
import { DURATION, type Figure, REQUESTS, SPEED, TOKENS, TTFT } from './figures.js';
import { splitSeries } from './parts.js';
import type { UsageState } from './usage-filters.js';
import { everyStep, type StepRow, type UsageRange } from './usage-range.js';

/** What is measured of the speed of answers. */
const MEASURES = { ttft: TTFT, duration: DURATION, rate: SPEED } as const;

/** The figure that a screen shows. */
function figureFor({ view, measure }: Pick<UsageState, 'view' | 'measure'>): Figure {
  if (view === 'speed') return MEASURES[measure];
  return view === 'tokens' ? TOKENS : REQUESTS;
}

export interface UsageChart {
  readonly figure: Figure;
  readonly kind: ChartKind;
  readonly unit: ChartUnit;
  readonly steps: readonly StepRow[];
  readonly series: readonly ChartSeries[];
  readonly before?: ChartBefore;
  /** Parts of a measurement that are not drawn: those with the fewest requests. */
  readonly left: number;
}

export interface ChartSource {
  readonly state: Pick<UsageState, 'view' | 'measure' | 'by'>;
  readonly range: UsageRange;
  /** By step, and by part where the state splits. */
  readonly rows: readonly UsageRow[];
  /** The same of the period before, by step alone; null = it is not shown. */
  readonly before: { readonly range: UsageRange; readonly rows: readonly UsageRow[] } | null;
  readonly nameOf: (row: Partial<UsageRow>) => string;
}

/** Percentiles of one measure are steps of one hue. */
const PERCENTILE_COLOURS = ['step-1', 'step-3', 'step-4'];

/** What a whole is made of, where nothing else splits it. */
function ownParts({ value, lines }: Figure, steps: readonly StepRow[]): readonly ChartSeries[] {
  const series = (label: string, of: (row: StepRow) => number | null, colour?: string): ChartSeries => ({
    label,
    values: steps.map(of),
    ...(colour !== undefined && { colour }),
  });
  if (value === REQUESTS.value)
    return [series('Successful', (row) => row.requests - row.errors), series('Errors', (row) => row.errors, 'bad')];
  if (value === TOKENS.value) {
    return [
      series('Input', (row) => row.prompt_tokens - row.cached_tokens),
      series('Cached input', (row) => row.cached_tokens),
      series('Output', (row) => row.completion_tokens),
    ];
  }
  return lines.map(({ label, of }, place) => series(label, of, PERCENTILE_COLOURS[place]));
}

/** Of the period before one line is enough: the whole, or the median. */
function beforeOf({ lines: [{ label, of }], isSum }: Figure, before: ChartSource['before']): ChartBefore | null {
  if (before === null) return null;
  const values = everyStep(before.range, before.rows).map(of);
  return { label: isSum ? 'Period before' : `${label}, period before`, values };
}

/** The chart of a screen: sums as stacked bars, percentiles as lines. */
export function chartOf({ state, range, rows, before, nameOf }: ChartSource): UsageChart {
  const figure = figureFor(state);
  const steps = everyStep(range, rows);
  const { series, left } = state.by === 'none' ? { series: ownParts(figure, steps), left: 0 } : splitSeries(figure, range, rows, nameOf);
  const earlier = beforeOf(figure, before);
  const unit = figure.isSum ? COUNT : figure.unit;
  return { figure, kind: figure.isSum ? 'bars' : 'lines', unit, steps, series, left, ...(earlier && { before: earlier }) };
}
