import { type JSX, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface UsageChartProps {
  /** What it shows, in words. */
  readonly label: string;
  readonly step: 'hour' | 'day';
  /** Begin of each step, in milliseconds. */
  readonly at: readonly number[];
  readonly values: readonly number[];
}

const HEIGHT = 220;
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** A tick of the time axis: the hour, or the day where a day begins. */
function labelOf(tick: number, step: 'hour' | 'day'): string {
  const text = new Date(tick * 1_000).toISOString();
  return step === 'hour' && !text.endsWith('T00:00:00.000Z') ? text.slice(11, 16) : text.slice(5, 10);
}

function optionsOf({ label, step }: Pick<UsageChartProps, 'label' | 'step'>, width: number): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const { bars } = uPlot.paths;
  const half = (step === 'hour' ? 3_600 : 86_400) / 2;
  const numbers = new Intl.NumberFormat('en-US', { notation: 'compact' });
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    cursor: { y: false },
    legend: { live: true },
    scales: {
      x: { range: (_plot, first, last) => [first - half, last + half] },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      { ...axis, values: (_plot, ticks) => ticks.map((tick) => labelOf(tick, step)) },
      { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? numbers.format(tick) : '')) },
    ],
    series: [
      {
        label: 'Begin (UTC)',
        value: (_plot, tick) => (tick == null ? '–' : new Date(tick * 1_000).toISOString().slice(0, 16).replace('T', ' ')),
      },
      {
        label,
        stroke: colour('accent'),
        fill: colour('accent'),
        width: 1,
        points: { show: false },
        ...(bars && { paths: bars({ size: [0.7, 40] }) }),
      },
    ],
  };
}

/** Figures over time. The table beside it says the same to who does not see it. */
export function UsageChart({ label, step, at, values }: UsageChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const draw = (): uPlot =>
      new uPlot(optionsOf({ label, step }, element.clientWidth), [at.map((ms) => ms / 1_000), [...values]], element);
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
  }, [label, step, at, values]);
  return <div ref={box} aria-hidden="true" className="min-h-[16rem] w-full overflow-hidden" />;
}
