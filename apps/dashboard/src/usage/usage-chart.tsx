import { type JSX, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Series } from './figures.js';
import type { Step } from './usage-range.js';

export interface UsageChartProps {
  readonly step: Step;
  /** Begin of each step, in milliseconds. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Values of a single series that add up over time are bars. */
  readonly isSum: boolean;
}

const HEIGHT = 220;
const STEP_S: Readonly<Record<Step, number>> = { minute: 60, hour: 3_600, day: 86_400 };
/** Lines differ by more than their colour. */
const DASHES: readonly number[][] = [[], [8, 4], [2, 3], [12, 4, 2, 4], [5, 2], [1, 4], [16, 6]];

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** A tick of the time axis: the time of day, or the day where a day begins. */
function labelOf(tick: number, step: Step): string {
  const text = new Date(tick * 1_000).toISOString();
  return step !== 'day' && !text.endsWith('T00:00:00.000Z') ? text.slice(11, 16) : text.slice(5, 10);
}

/** Points are drawn where something was: alone between gaps a line would not be seen. */
const tellingPoints: uPlot.Series.Points.Filter = (plot, series) =>
  Array.from<number | null | undefined>(plot.data[series] ?? []).flatMap((amount, index) =>
    amount == null || amount === 0 ? [] : [index],
  );

function lineOf({ label }: Series, index: number, { series, format, isSum }: UsageChartProps): uPlot.Series {
  const stroke = colour(`series-${(index % DASHES.length) + 1}`);
  const value: uPlot.Series.Value = (_plot, amount) => (amount == null ? '–' : format(amount));
  const { bars } = uPlot.paths;
  if (isSum && series.length === 1 && bars) {
    return { label, stroke, value, fill: stroke, width: 0, points: { show: false }, paths: bars({ size: [0.7, 40] }) };
  }
  const dash = DASHES[index % DASHES.length] ?? [];
  return { label, stroke, value, dash, width: 2, points: { show: true, size: 5, fill: stroke, stroke, filter: tellingPoints } };
}

function optionsOf(props: UsageChartProps, width: number): uPlot.Options {
  const { step, series, format } = props;
  const axis: uPlot.Axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const half = STEP_S[step] / 2;
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    cursor: { y: false },
    legend: { live: true },
    scales: {
      x: { range: (_plot, first, last) => [first - half, last + half] },
      y: { range: (_plot, _least, most) => [0, Math.max(1, (most ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map((tick) => labelOf(tick, step)) },
      {
        ...axis,
        size: 72,
        values: (_plot, ticks) => ticks.map((tick) => (props.isSum && !Number.isInteger(tick) ? '' : format(tick))),
      },
    ],
    series: [
      {
        label: 'Begin (UTC)',
        value: (_plot, tick) => (tick == null ? '–' : new Date(tick * 1_000).toISOString().slice(0, 16).replace('T', ' ')),
      },
      ...series.map((one, index) => lineOf(one, index, props)),
    ],
  };
}

/** Figures over time. The table beside it says the same to who does not see it. */
export function UsageChart({ step, at, series, format, isSum }: UsageChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const data: uPlot.AlignedData = [at.map((ms) => ms / 1_000), ...series.map(({ values }) => [...values])];
    const draw = (): uPlot => new uPlot(optionsOf({ step, at, series, format, isSum }, element.clientWidth), data, element);
    let plot = draw();
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    const themes = new MutationObserver(() => {
      plot.destroy();
      plot = draw();
    });
    sizes.observe(element);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      plot.destroy();
    };
  }, [step, at, series, format, isSum]);
  return <div ref={box} aria-hidden="true" className="min-h-[16rem] w-full overflow-hidden" />;
}
