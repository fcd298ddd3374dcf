import type { IconName } from '../ui/icon.js';

/** One value for each step; null = not known, which stays a gap. */
export type Values = readonly (number | null)[];

/** One line, area or part of a bar. */
export interface ChartSeries {
  /** Unique within its chart. */
  readonly label: string;
  readonly values: Values;
  /** A CSS variable without its dashes, `step-1` for percentiles of one measure; absent = `series-N` by its place. */
  readonly colour?: string;
  /** Its line joins known values over the steps between them, for what is measured now and then. */
  readonly joins?: true;
}

/** What the horizontal axis counts in place of time: steps of a training, lengths. `at` holds its numbers. */
export interface ChartAxis {
  /** One of them: "Step". */
  readonly title: string;
  readonly format: (at: number) => string;
}

/** `areas` and `bars` pile their series up; `lines` do not. */
export type ChartKind = 'lines' | 'areas' | 'bars';

/** How values are written. */
export interface ChartUnit {
  /** A value in full, with its unit: `12,345`, `1.2 s`. */
  readonly format: (value: number) => string;
  /** The same in little space, for the axis; absent = `format`. */
  readonly short?: (value: number) => string;
  /** Values are whole numbers, so the axis has no ticks between them. */
  readonly isWhole?: boolean;
  /** What the legend shows while no step is pointed at; absent = the last value. */
  readonly legend?: 'sum' | 'last';
}

/** Something that happened at a moment: a revision, an alert. */
export interface ChartMark {
  /** In milliseconds. */
  readonly at: number;
  readonly label: string;
  readonly icon: IconName;
  /** Where the mark leads; absent = nowhere. */
  readonly href?: string;
}

/** The same figure in the period before, already shifted to the steps of this one. */
export interface ChartBefore {
  readonly label: string;
  readonly values: Values;
}

/** What a chart shows, apart from how its page treats it. */
export interface ChartData {
  /** Begin of each step, in milliseconds, ascending. */
  readonly at: readonly number[];
  /** Length of a step in milliseconds. */
  readonly stepMs: number;
  readonly series: readonly ChartSeries[];
  readonly kind: ChartKind;
  readonly unit: ChartUnit;
  readonly before?: ChartBefore;
  readonly marks?: readonly ChartMark[];
  /** Absent = time. */
  readonly axis?: ChartAxis;
  /** IANA name of the zone in which times are written. */
  readonly zone: string;
}

/** Number of colours for series; the ninth series has the colour of the first. */
const SERIES_COLOURS = 8;

/** The CSS variable that a series is drawn in, without its dashes. @param place its place in the chart, from 0 */
export const colourOf = ({ colour }: ChartSeries, place: number): string => colour ?? `series-${(place % SERIES_COLOURS) + 1}`;

/** True where there is nothing to see: no value, or nothing but zeros. */
export const isEmpty = (series: readonly ChartSeries[]): boolean =>
  series.every(({ values }) => values.every((value) => value === null || value === 0));

/** Values piled up: each is its own plus all before it. Where no part has a value the pile has none, else a missing part counts 0. */
export function stack(parts: readonly Values[]): readonly Values[] {
  const length = parts[0]?.length ?? 0;
  const known = Array.from({ length }, (_, step) => parts.some((values) => (values[step] ?? null) !== null));
  const sums = Array.from({ length }, () => 0);
  return parts.map((values) =>
    known.map((isKnown, step) => {
      sums[step] = (sums[step] ?? 0) + (values[step] ?? 0);
      return isKnown ? (sums[step] ?? 0) : null;
    }),
  );
}
