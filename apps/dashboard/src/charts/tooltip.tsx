import type { JSX } from 'react';
import { type ChartData, colourOf } from './chart-model.js';
import { axisLabel, zoneLabel } from './ticks.js';

interface TooltipRow {
  readonly label: string;
  /** A CSS variable without its dashes; null for the total, which has no colour. */
  readonly colour: string | null;
  /** Null = not known at this step. */
  readonly value: number | null;
  readonly role: 'series' | 'total' | 'before';
}

type Rows = Pick<ChartData, 'series' | 'kind' | 'before'>;

/** What a chart shows at one step, from the top down as it is drawn; a total where several series are piled up. */
export function tooltipRows({ series, kind, before }: Rows, step: number): readonly TooltipRow[] {
  const rows = series.map((one, place): TooltipRow => {
    return { label: one.label, colour: colourOf(one, place), value: one.values[step] ?? null, role: 'series' };
  });
  const sorted = kind === 'lines' ? rows.toSorted((a, b) => (b.value ?? -1) - (a.value ?? -1)) : rows.toReversed();
  const known = rows.flatMap(({ value }) => value ?? []);
  const hasTotal = kind !== 'lines' && series.length > 1 && known.length > 0;
  const total: TooltipRow = { label: 'Total', colour: null, value: known.reduce((a, b) => a + b, 0), role: 'total' };
  const earlier: readonly TooltipRow[] = before
    ? [{ label: before.label, colour: 'muted', value: before.values[step] ?? null, role: 'before' }]
    : [];
  return [...sorted, ...(hasTotal ? [total] : []), ...earlier];
}

/** Longer lists would cover what they explain. */
const ROWS_MAX = 12;
/** Between pointer and tooltip, in pixels. */
const GAP = 14;

/** Where a step is, in pixels of the chart. */
export interface Pointed {
  readonly step: number;
  readonly left: number;
  readonly top: number;
}

export interface TooltipProps {
  readonly data: ChartData;
  readonly pointed: Pointed;
  /** Width of the chart in pixels. */
  readonly width: number;
}

/** The colour of a series beside its name; a dashed line for the period before. */
export function Swatch({ colour, isDashed = false }: { readonly colour: string; readonly isDashed?: boolean }): JSX.Element {
  const look = isDashed ? 'h-0 w-2.5 border-t-2 border-dashed border-ink' : 'size-2.5 rounded-sm';
  return <span aria-hidden="true" className={`shrink-0 ${look}`} style={isDashed ? undefined : { backgroundColor: `var(--${colour})` }} />;
}

function Row({ row, format }: { readonly row: TooltipRow; readonly format: (value: number) => string }): JSX.Element {
  const { label, colour, value, role } = row;
  return (
    <div className={`flex items-center gap-2 ${role === 'total' ? 'mt-1 border-t border-line pt-1 font-medium' : ''}`}>
      {colour !== null && <Swatch colour={colour} isDashed={role === 'before'} />}
      <span className="min-w-0 flex-1 truncate text-muted">{label}</span>
      <span className="pl-3 text-ink tabular-nums">{value === null ? '–' : format(value)}</span>
    </div>
  );
}

/** All series of the step that is pointed at, beside the pointer. */
export function Tooltip({ data, pointed: { step, left, top }, width }: TooltipProps): JSX.Element | null {
  const at = data.at[step];
  if (at === undefined) return null;
  const rows = tooltipRows(data, step);
  const shown = rows.slice(0, ROWS_MAX);
  const isRight = left > width / 2;
  return (
    <div
      data-tooltip=""
      aria-hidden="true"
      className="pointer-events-none absolute z-20 w-max max-w-64 min-w-40 rounded-md border border-rim bg-raised px-2.5 py-2 text-xs shadow-overlay"
      style={{ left: isRight ? left - GAP : left + GAP, top: Math.max(0, top - GAP), transform: isRight ? 'translateX(-100%)' : undefined }}
    >
      <div className="mb-1 flex justify-between gap-4 font-medium">
        {axisLabel(data, at)}
        {!data.axis && <span className="font-normal text-muted">{zoneLabel(data.zone, at)}</span>}
      </div>
      {shown.map((row) => (
        <Row key={`${row.role} ${row.label}`} row={row} format={data.unit.format} />
      ))}
      {rows.length > shown.length && <div className="text-muted">{rows.length - shown.length} more in the table</div>}
    </div>
  );
}

/** The same in a sentence, for who moves through the chart by keyboard. */
export function stepInWords(data: ChartData, step: number): string {
  const at = data.at[step];
  if (at === undefined) return '';
  const { format } = data.unit;
  const rows = tooltipRows(data, step).map(({ label, value }) => `${label} ${value === null ? 'no value' : format(value)}`);
  return `${axisLabel(data, at)}: ${rows.join(', ')}`;
}

/** Distinguishes charts that uPlot has to draw anew from those whose values alone differ. */
export const structureOf = ({ kind, series, before, zone, stepMs, axis }: ChartData): string =>
  JSON.stringify([kind, zone, stepMs, axis?.title, before !== undefined, series.map((one, place) => [one.label, colourOf(one, place)])]);
