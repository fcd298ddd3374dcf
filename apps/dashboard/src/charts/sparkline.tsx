import type { JSX } from 'react';
import type { Values } from './chart-model.js';

type Place = readonly [x: number, y: number];

interface SparkPaths {
  /** SVG paths; empty where there is nothing to draw. */
  readonly line: string;
  readonly area: string;
  /** Values between two gaps, which have no line to be seen by. */
  readonly dots: readonly Place[];
}

/** Space for the width of the line. */
const INSET = 1;
const round = (value: number): number => Math.round(value * 100) / 100;

/** Paths of a small chart from 0 to its highest value; a gap ends one line and begins another. Sizes in pixels. */
export function sparkPaths(values: Values, width: number, height: number): SparkPaths {
  const most = values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0) || 1;
  const across = (width - 2 * INSET) / Math.max(1, values.length - 1);
  const runs: Place[][] = [[]];
  for (const [step, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([round(INSET + step * across), round(height - INSET - (value / most) * (height - 2 * INSET))]);
  }
  const lines = runs.filter((run) => run.length > 1);
  const pathOf = (run: readonly Place[]): string => run.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const floorOf = (run: readonly Place[]): string => `${pathOf(run)}V${height}H${run[0]?.[0] ?? 0}Z`;
  return { line: lines.map(pathOf).join(''), area: lines.map(floorOf).join(''), dots: runs.filter((run) => run.length === 1).flat() };
}

export interface SparklineProps {
  /** Read by nobody but eyes: the text beside it says the same. Null = a gap. */
  readonly values: Values;
  /** A CSS variable without its dashes. */
  readonly colour?: string;
  readonly width?: number;
  readonly height?: number;
  /** For counts, where the area under the line means something. */
  readonly isFilled?: boolean;
}

/** The course of a figure in the space of a word. */
export function Sparkline({ values, colour = 'series-1', width = 96, height = 24, isFilled = true }: SparklineProps): JSX.Element {
  const { line, area, dots } = sparkPaths(values, width, height);
  const stroke = `var(--${colour})`;
  return (
    <svg aria-hidden="true" viewBox={`0 0 ${width} ${height}`} width={width} height={height} className="shrink-0 overflow-visible">
      {isFilled && <path d={area} fill={stroke} opacity={0.14} />}
      <path d={line} fill="none" stroke={stroke} strokeWidth={1.5} strokeLinejoin="round" strokeLinecap="round" />
      {dots.map(([x, y]) => (
        <circle key={x} cx={x} cy={y} r={1.5} fill={stroke} />
      ))}
    </svg>
  );
}
