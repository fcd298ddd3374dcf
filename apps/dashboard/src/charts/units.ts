import { formatCount, formatMs, formatRate } from '../format/number.js';
import type { ChartUnit } from './chart-model.js';

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const short = (value: number): string => compact.format(value);

/** Whole numbers that add up over time. */
export const COUNT: ChartUnit = { format: formatCount, short, isWhole: true, legend: 'sum' };

function shortMs(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 120_000 ? `${ms / 1_000} s` : `${Math.round(ms / 6_000) / 10} min`;
}

/** Lengths of time, in milliseconds. */
export const DURATION_MS: ChartUnit = { format: formatMs, short: shortMs };

/** How often something happens. */
export const RATE: ChartUnit = { format: formatRate, short };
