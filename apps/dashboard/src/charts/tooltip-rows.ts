import { type ChartData, colourOf } from './chart-model.js';

export interface TooltipRow {
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
