import uPlot from 'uplot';
import { type ChartAxis, type ChartData, colourOf, stack } from './chart-model.js';
import { timeTicks, valueTicks } from './ticks.js';

/** Space for the labels of time below a plot, in pixels. */
const TIME_AXIS = 26;
const PADDING = 8;
/** Width of a digit of an axis, in pixels. */
const CHARACTER = 6.5;
const BAR = { share: 0.72, widest: 36 } as const;

/** A colour of the theme as it is now. @param name a CSS variable without its dashes */
const themed = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const faded = (name: string, percent: number): string => `color-mix(in srgb, ${themed(name)} ${percent}%, transparent)`;

/** What uPlot draws: the whole pile first, then each part over it. */
export function plotData({ at, series, kind, before }: ChartData): uPlot.AlignedData {
  const values = series.map((one) => one.values);
  const drawn = kind === 'lines' ? values : stack(values).toReversed();
  return [[...at], ...drawn.map((one) => [...one]), ...(before ? [[...before.values]] : [])];
}

const isKnown = (value: number | null | undefined): boolean => value !== null && value !== undefined;

/** A value between two gaps has no line to be seen by. */
const lonely: uPlot.Series.Points.Filter = (plot, index) => {
  const values = Array.from<number | null | undefined>(plot.data[index] ?? []);
  return values.flatMap((value, step) => (isKnown(value) && !isKnown(values[step - 1]) && !isKnown(values[step + 1]) ? [step] : []));
};

function drawnSeries({ kind }: ChartData, colour: string, isSingle: boolean, joins: boolean): uPlot.Series {
  const stroke = (): string => themed(colour);
  const { bars, linear } = uPlot.paths;
  if (kind === 'bars' && bars) {
    // A hairline of the surface keeps the parts of a bar apart.
    const paths = bars({ size: [BAR.share, BAR.widest, 1], ...(isSingle && { radius: 0.12 }) });
    return { stroke: () => themed('surface'), fill: stroke, width: isSingle ? 0 : 1, points: { show: false }, paths };
  }
  const points: uPlot.Series.Points = { show: true, size: 5, width: 0, fill: stroke, stroke, filter: lonely };
  return {
    stroke,
    width: 1.5,
    points,
    spanGaps: joins,
    ...(kind === 'areas' && { fill: () => faded(colour, 28) }),
    ...(linear && { paths: linear() }),
  };
}

function seriesOf(data: ChartData): uPlot.Series[] {
  const { series, kind, before } = data;
  const looks = series.map((one, place): [string, boolean] => [colourOf(one, place), one.joins === true]);
  const drawn = (kind === 'lines' ? looks : looks.toReversed()).map(([colour, joins]) =>
    drawnSeries(data, colour, series.length === 1, joins),
  );
  const earlier: uPlot.Series = { stroke: () => themed('ink'), width: 1.5, dash: [5, 4], points: { show: false } };
  return [{}, ...drawn, ...(before ? [earlier] : [])];
}

/** The highest value that is drawn. */
const mostOf = (plot: uPlot): number =>
  plot.data
    .slice(1)
    .flatMap((values) => Array.from<number | null | undefined>(values))
    .reduce<number>((most, value) => Math.max(most, value ?? 0), 0);

/** Round numbers of an axis that counts something else than time. */
const countTicks = (from: number, to: number, room: number, { format }: ChartAxis): ReturnType<typeof timeTicks> =>
  valueTicks(to, room / 2, true)
    .filter((at) => at >= from && at <= to)
    .map((at) => ({ at, label: format(at) }));

function axesOf({ unit, zone, axis }: ChartData, room: number): uPlot.Axis[] {
  const { short = unit.format } = unit;
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const look: uPlot.Axis = { stroke: () => themed('muted'), ticks: { show: false }, font };
  const ticksOf = ({ bbox, scales: { x } }: uPlot): ReturnType<typeof timeTicks> =>
    axis
      ? countTicks(x?.min ?? 0, x?.max ?? 0, bbox.width / uPlot.pxRatio, axis)
      : timeTicks(x?.min ?? 0, x?.max ?? 0, bbox.width / uPlot.pxRatio, zone);
  const time: uPlot.Axis = {
    ...look,
    size: TIME_AXIS,
    gap: 6,
    grid: { show: false },
    splits: (plot) => ticksOf(plot).map(({ at }) => at),
    values: (plot) => ticksOf(plot).map(({ label }) => label),
  };
  const value: uPlot.Axis = {
    ...look,
    gap: 8,
    size: (_plot, labels) => 14 + CHARACTER * Math.max(2, ...(labels ?? []).map((label) => label.length)),
    grid: { stroke: () => themed('line'), width: 1 },
    splits: (plot) => [...valueTicks(mostOf(plot), room, unit.isWhole)],
    values: (_plot, ticks) => ticks.map((tick) => short(tick)),
  };
  return [time, value];
}

export interface PlotSize {
  readonly width: number;
  readonly height: number;
}

export interface PlotEvents {
  /** The step that is pointed at, and where that is in the plot. */
  readonly onPoint: (plot: uPlot) => void;
  /** A span was marked by dragging, in pixels of the plot. */
  readonly onSelect: (plot: uPlot) => void;
  readonly onDrawn: (plot: uPlot) => void;
  readonly onZoomOut: () => void;
}

function cursorOf(data: ChartData, group: string | undefined, onZoomOut: () => void): uPlot.Cursor {
  // Only where the pointer is: what is marked in one chart is not marked in the others.
  const told = new Set(['mousemove', 'mouseleave', 'mouseenter']);
  const plain: uPlot.Cursor = {
    y: false,
    drag: { x: true, y: false, setScale: false },
    points: { show: data.kind !== 'bars', size: 7 },
    bind: {
      dblclick: () => () => {
        onZoomOut();
        return null;
      },
    },
  };
  return group === undefined ? plain : { ...plain, sync: { key: group, scales: ['x', null], filters: { pub: (type) => told.has(type) } } };
}

/** The one description of a chart that uPlot takes. */
export function plotOptions(data: ChartData, size: PlotSize, group: string | undefined, events: PlotEvents): uPlot.Options {
  const { stepMs, series, kind, unit } = data;
  const half = stepMs / 2;
  const room = size.height - TIME_AXIS - PADDING;
  return {
    ...size,
    ms: 1,
    padding: [PADDING, PADDING, 0, 0],
    legend: { show: false },
    cursor: cursorOf(data, group, events.onZoomOut),
    scales: {
      x: { range: ({ data: [at] }) => [(at[0] ?? 0) - half, (at.at(-1) ?? 0) + half] },
      y: { range: (plot) => [0, valueTicks(mostOf(plot), room, unit.isWhole).at(-1) ?? 1] },
    },
    axes: axesOf(data, room),
    series: seriesOf(data),
    bands: kind === 'areas' ? series.slice(1).map((_, index) => ({ series: [index + 1, index + 2] as [number, number] })) : [],
    hooks: { setCursor: [events.onPoint], setSelect: [events.onSelect], draw: [events.onDrawn] },
  };
}
