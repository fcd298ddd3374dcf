import type { ChartSeries, ChartUnit, Values } from './chart-model.js';

/** Least, most and last value, null where none is known. */
interface Extent {
  readonly least: number;
  readonly most: number;
  readonly last: number;
}

function extentOf(values: Values): Extent | null {
  const known = values.filter((value) => value !== null);
  const last = known.at(-1);
  if (last === undefined) return null;
  return { least: known.reduce((a, b) => Math.min(a, b)), most: known.reduce((a, b) => Math.max(a, b)), last };
}

/** A chart in a sentence for each series. @param axis what the horizontal axis counts */
export function chartSummary(label: string, series: readonly ChartSeries[], { format }: ChartUnit, axis = 'time'): string {
  const sentences = series.map(({ label: name, values }) => {
    const extent = extentOf(values);
    if (!extent) return `${name}: no values.`;
    return `${name}: least ${format(extent.least)}, most ${format(extent.most)}, last ${format(extent.last)}.`;
  });
  return [`${label} over ${axis}.`, ...sentences].join(' ');
}

/** What the legend shows of a series while no step is pointed at; null where nothing is known. */
export function legendValue({ values }: ChartSeries, { legend = 'last' }: ChartUnit): number | null {
  const known = values.filter((value) => value !== null);
  if (legend === 'last') return known.at(-1) ?? null;
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}
