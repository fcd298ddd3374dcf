import type { JSX, ReactNode } from 'react';
import { formatPercent } from '../format/number.js';

export interface Bar {
  /** Unique within its list. */
  readonly label: string;
  readonly value: number;
  /** The label as it is drawn, a link for one; absent = the label. */
  readonly name?: ReactNode;
}

export interface BarListProps {
  /** What is listed, for screen readers: "Requests by key". */
  readonly label: string;
  /** In the order in which they are drawn. */
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
  /** What shares are taken of; absent = the sum of the bars. */
  readonly whole?: number;
  /** A CSS variable without its dashes. */
  readonly colour?: string;
}

/** Names with their values, the longest bar for the largest. */
export function BarList({ label, bars, format, whole, colour = 'series-1' }: BarListProps): JSX.Element {
  const most = bars.reduce((highest, { value }) => Math.max(highest, value), 0) || 1;
  const all = whole ?? bars.reduce((sum, { value }) => sum + value, 0);
  return (
    <ul aria-label={label} className="grid gap-1 text-sm">
      {bars.map(({ label: key, name = key, value }) => (
        <li key={key} className="relative flex min-h-8 items-center gap-3 px-2">
          <span
            aria-hidden="true"
            className="absolute inset-y-0 left-0 rounded-sm opacity-15"
            style={{ width: `${(value / most) * 100}%`, backgroundColor: `var(--${colour})` }}
          />
          <span className="relative min-w-0 flex-1 truncate" title={key}>
            {name}
          </span>
          <span className="relative tabular-nums">{format(value)}</span>
          <span className="relative w-12 text-right text-muted tabular-nums">{all > 0 ? formatPercent(value / all) : '–'}</span>
        </li>
      ))}
    </ul>
  );
}
