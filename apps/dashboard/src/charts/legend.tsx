import type { JSX, MouseEvent } from 'react';
import { type ChartData, colourOf } from './chart-model.js';
import { legendValue } from './chart-summary.js';
import { Swatch } from './tooltip.js';

export interface LegendProps {
  readonly data: ChartData;
  readonly hidden: ReadonlySet<string>;
  /** The step that is pointed at. */
  readonly step: number | null;
  readonly onHidden: (hidden: ReadonlySet<string>) => void;
}

/** What is hidden after a click on a label; with `alone` all others are, and a second time none. */
export function nextHidden(labels: readonly string[], hidden: ReadonlySet<string>, label: string, alone: boolean): ReadonlySet<string> {
  const others = labels.filter((one) => one !== label);
  if (alone) return !hidden.has(label) && others.every((one) => hidden.has(one)) ? new Set() : new Set(others);
  const next = new Set(hidden);
  if (!next.delete(label)) next.add(label);
  // A chart without a series shows nothing: the last click brings all back.
  return next.size === labels.length ? new Set() : next;
}

/** The series as buttons: a click hides one, with Alt or Shift all others. Values are those of the step that is pointed at. */
export function Legend({ data, hidden, step, onHidden }: LegendProps): JSX.Element {
  const { series, unit, before } = data;
  const labels = series.map(({ label }) => label);
  const written = (value: number | null): string => (value === null ? '–' : unit.format(value));
  return (
    <ul aria-label="Series" className="-ml-1.5 flex min-w-0 flex-wrap gap-x-1 gap-y-0.5">
      {series.map((one, place) => (
        <li key={one.label} className="min-w-0">
          <button
            type="button"
            aria-pressed={!hidden.has(one.label)}
            title={`Click hides or shows ${one.label}; Alt+click shows it alone`}
            onClick={({ altKey, shiftKey }: MouseEvent) => onHidden(nextHidden(labels, hidden, one.label, altKey || shiftKey))}
            className={`flex min-h-6 max-w-full items-center gap-1.5 rounded-sm px-1.5 text-xs hover:bg-sunken pointer-coarse:min-h-11 ${hidden.has(one.label) ? 'text-muted line-through' : ''}`}
          >
            {hidden.has(one.label) ? (
              <span aria-hidden="true" className="size-2.5 shrink-0 rounded-sm border border-edge" />
            ) : (
              <Swatch colour={colourOf(one, place)} />
            )}
            <span className="truncate">{one.label}</span>
            <span className="text-muted tabular-nums">{written(step === null ? legendValue(one, unit) : (one.values[step] ?? null))}</span>
          </button>
        </li>
      ))}
      {before && (
        <li className="flex min-h-6 items-center gap-1.5 px-1.5 text-xs text-muted">
          <Swatch colour="muted" isDashed />
          {before.label}
          <span className="tabular-nums">{written(step === null ? legendValue(before, unit) : (before.values[step] ?? null))}</span>
        </li>
      )}
    </ul>
  );
}
