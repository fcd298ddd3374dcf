import type { JSX } from 'react';
import type { ChartData } from './chart-model.js';
import { stepLabel } from './ticks.js';

const CELL = 'px-2 py-1 text-right tabular-nums whitespace-nowrap';

/** The numbers of a chart, the latest first. */
export function ChartTable({
  data,
  label,
  height,
}: {
  readonly data: ChartData;
  readonly label: string;
  readonly height: number;
}): JSX.Element {
  const { at, stepMs, series, unit, zone, before, axis } = data;
  const columns = [...series, ...(before ? [before] : [])];
  return (
    <div role="region" aria-label={`${label} as a table`} tabIndex={0} className="overflow-auto rounded-sm" style={{ height }}>
      <table className="w-full text-xs">
        <caption className="sr-only">{label}</caption>
        <thead className="sticky top-0 bg-surface">
          <tr className="text-muted">
            <th scope="col" className="py-1 pr-2 text-left font-medium whitespace-nowrap">
              {axis ? axis.title : `Time (${zone === 'UTC' ? 'UTC' : zone.replaceAll('_', ' ')})`}
            </th>
            {columns.map((one) => (
              <th key={one.label} scope="col" className={`${CELL} font-medium`}>
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at
            .map((begin, step) => (
              <tr key={begin} className="border-t border-line">
                <th scope="row" className="py-1 pr-2 text-left font-normal whitespace-nowrap">
                  {axis ? axis.format(begin) : stepLabel(begin, stepMs, zone)}
                </th>
                {columns.map(({ label: name, values }) => {
                  const value = values[step] ?? null;
                  return (
                    <td key={name} className={CELL}>
                      {value === null ? '–' : unit.format(value)}
                    </td>
                  );
                })}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  );
}
