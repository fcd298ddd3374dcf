import { type JSX, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface UsageChartProps {
  /** What it shows, in words. */
  readonly label: string;
  /** Begin of each step, in milliseconds. */
  readonly at: readonly number[];
  readonly values: readonly number[];
}

const HEIGHT = 220;
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function optionsOf(label: string, width: number): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const { stepped } = uPlot.paths;
  const numbers = new Intl.NumberFormat('en-US', { notation: 'compact' });
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    cursor: { y: false },
    legend: { live: true },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      axis,
      { ...axis, size: 64, values: (_plot, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? numbers.format(tick) : '')) },
    ],
    series: [
      { label: 'Time (UTC)' },
      {
        label,
        stroke: colour('accent'),
        fill: colour('accent-soft'),
        width: 2,
        points: { size: 6 },
        ...(stepped && { paths: stepped({ align: 1 }) }),
      },
    ],
  };
}

/** Figures over time. The table beside it says the same to who does not see it. */
export function UsageChart({ label, at, values }: UsageChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const draw = (): uPlot => new uPlot(optionsOf(label, element.clientWidth), [at.map((ms) => ms / 1_000), [...values]], element);
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
  }, [label, at, values]);
  return <div ref={box} aria-hidden="true" className="min-h-[16rem] w-full overflow-hidden" />;
}
