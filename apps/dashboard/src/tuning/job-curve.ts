import type { CheckpointView, MetricPoint } from '@slipway/contracts';
import type { ChartAxis, ChartMark, ChartSeries, ChartUnit } from '../charts/chart-model.js';
import { formatCount } from '../format/number.js';

/** A curve as a chart takes it. */
export interface Curve {
  readonly at: readonly number[];
  readonly losses: readonly ChartSeries[];
  readonly rate: readonly ChartSeries[];
  /** Of preferences: how much likelier than at the base the chosen answer became, beside the rejected one. */
  readonly margin: readonly ChartSeries[];
}

/** The steps of a training as a chart's axis. */
export const STEP_AXIS: ChartAxis = { title: 'Step', format: formatCount };

/** Losses, with as many digits as differ. */
export const LOSS: ChartUnit = { format: (value) => value.toFixed(3), short: (value) => String(Number(value.toPrecision(3))) };

/** Learning rates: `1e-4`. */
export const LEARNING_RATE: ChartUnit = {
  format: (value) => value.toExponential(2),
  short: (value) => (value === 0 ? '0' : value.toExponential(0)),
};

/** The curve with newer points: a step that was trained again replaces the one before. */
export function mergePoints(known: readonly MetricPoint[], newer: readonly MetricPoint[]): readonly MetricPoint[] {
  if (newer.length === 0) return known;
  const steps = new Map([...known, ...newer].map((point) => [point.step, point]));
  return [...steps.values()].toSorted((a, b) => a.step - b.step);
}

const TRAINING_LOSS = 'Training loss';
/** Part of the steps whose mean is the training loss: steps of single examples jump from one to the next. */
const MEAN_PART = 0.1;

/** The mean of each value and of those shortly before it. */
function trailingMeans(values: readonly (number | null)[]): readonly (number | null)[] {
  const span = Math.max(1, Math.round(values.length * MEAN_PART));
  const window: number[] = [];
  return values.map((value) => {
    if (value === null) return null;
    window.push(value);
    if (window.length > span) window.shift();
    return window.reduce((sum, one) => sum + one, 0) / window.length;
  });
}

/** The lines of a curve that have a value. */
export function curveOf(points: readonly MetricPoint[]): Curve {
  const line = (label: string, values: readonly (number | null)[], colour: string): readonly ChartSeries[] =>
    values.every((value) => value === null) ? [] : [{ label, values, colour, joins: true }];
  const losses = points.map(({ loss }) => loss);
  return {
    at: points.map(({ step }) => step),
    losses: [
      ...line('Each step', losses, 'rim'),
      ...line(TRAINING_LOSS, trailingMeans(losses), 'series-1'),
      ...line(
        'Held-out loss',
        points.map(({ held_loss: loss }) => loss),
        'series-2',
      ),
    ],
    rate: line(
      'Learning rate',
      points.map(({ lr }) => lr),
      'series-3',
    ),
    margin: line('Margin', trailingMeans(points.map(({ margin = null }) => margin)), 'series-2'),
  };
}

/** The training loss now; null before the first step. */
export const lossOf = ({ losses }: Curve): number | null =>
  losses.find(({ label }) => label === TRAINING_LOSS)?.values.findLast((value) => value !== null) ?? null;

/** The step whose checkpoint became the adapter, as a mark of the curve: the job's checkpoints are gone by then. */
export const adapterMark = (step: number): ChartMark => ({ at: step, label: 'Became the adapter', icon: 'good' });

/** Checkpoints as marks of the curve. */
export const checkpointMarks = (checkpoints: readonly CheckpointView[]): readonly ChartMark[] =>
  checkpoints.map(({ step, best, held_loss: loss }) => ({
    at: step,
    label: `${best ? 'Best checkpoint' : 'Checkpoint'}${loss === null ? '' : `, held-out loss ${LOSS.format(loss)}`}`,
    icon: best ? 'good' : 'pin',
  }));
