import type { CheckpointView, MetricPoint } from '@slipway/contracts';
import type { ChartAxis, ChartMark, ChartSeries, ChartUnit } from '../charts/chart-model.js';
import { formatCount } from '../format/number.js';

/** A curve as a chart takes it. */
export interface Curve {
  readonly at: readonly number[];
  readonly losses: readonly ChartSeries[];
  readonly rate: readonly ChartSeries[];
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

/** The lines of a curve. */
export function curveOf(points: readonly MetricPoint[]): Curve {
  const of = (label: string, value: (point: MetricPoint) => number | null, colour: string): ChartSeries => ({
    label,
    values: points.map(value),
    colour,
    joins: true,
  });
  return {
    at: points.map(({ step }) => step),
    losses: [of('Training loss', ({ loss }) => loss, 'series-1'), of('Held-out loss', ({ held_loss: loss }) => loss, 'series-2')],
    rate: [of('Learning rate', ({ lr }) => lr, 'series-3')],
  };
}

/** Checkpoints as marks of the curve. */
export const checkpointMarks = (checkpoints: readonly CheckpointView[]): readonly ChartMark[] =>
  checkpoints.map(({ step, best, held_loss: loss }) => ({
    at: step,
    label: `${best ? 'Best checkpoint' : 'Checkpoint'}${loss === null ? '' : `, held-out loss ${LOSS.format(loss)}`}`,
    icon: best ? 'good' : 'pin',
  }));
