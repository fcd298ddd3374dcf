import type { JSX } from 'react';
import { formatBytes, formatCompact, formatCount, formatMs, formatPercent, formatRate } from '../format/number.js';
import { Tooltip } from './tooltip.js';

/** How a number is written in little space, and in full where that differs. */
const KINDS = {
  count: [formatCompact, formatCount],
  tokens: [formatCompact, (value: number) => `${formatCount(value)} tokens`],
  bytes: [formatBytes, (value: number) => `${formatCount(value)} bytes`],
  ms: [formatMs, (value: number) => `${formatCount(Math.round(value))} ms`],
  rate: [formatRate, String],
  percent: [formatPercent, (value: number) => `${(value * 100).toFixed(2)} %`],
} as const;

/** Stands where there is no value. */
export const Dash = (): JSX.Element => <span className="text-muted">–</span>;

export interface QuantityProps {
  /** null = there is none: a dash. */
  readonly value: number | null;
  readonly kind: keyof typeof KINDS;
}

/** A number in little space; exact on hover. */
export function Quantity({ value, kind }: QuantityProps): JSX.Element {
  if (value === null) return <Dash />;
  const [short, full] = KINDS[kind];
  const text = short(value);
  if (text === full(value)) return <span className="tabular-nums">{text}</span>;
  return (
    <Tooltip text={full(value)}>
      <span className="tabular-nums">{text}</span>
    </Tooltip>
  );
}
