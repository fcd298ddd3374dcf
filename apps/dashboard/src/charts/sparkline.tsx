import type { JSX } from 'react';
import { sparkPaths } from './spark-paths.js';
import type { Values } from './chart-model.js';

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
