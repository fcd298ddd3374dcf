import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './plot.css';
import type { ChartData } from './chart-model.js';
import type { Frame } from './marks.js';
import { plotData, type PlotEvents, plotOptions } from './plot-options.js';
import { snapRange } from './steps.js';
import { type Pointed, structureOf } from './tooltip.js';

/** A shorter drag is a click with an unsteady hand, in pixels. */
const DRAG_MIN = 6;

export interface PlotProps {
  readonly data: ChartData;
  /** Accessible name. */
  readonly label: string;
  readonly height: number;
  /** Charts of one group show the same crosshair. */
  readonly group: string | undefined;
  readonly onStep: (step: number | null) => void;
  readonly onZoom: ((from: number, to: number) => void) | undefined;
  readonly onZoomOut: (() => void) | undefined;
}

export interface DrawnPlot {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly plot: RefObject<uPlot | null>;
  readonly pointed: Pointed | null;
  readonly frame: Frame | null;
  readonly setPointed: (pointed: Pointed | null) => void;
}

function frameOf({ bbox, scales: { x } }: uPlot): Frame {
  return { left: bbox.left / uPlot.pxRatio, width: bbox.width / uPlot.pxRatio, from: x?.min ?? 0, to: x?.max ?? 0 };
}

const isSame = (a: Frame | null, b: Frame): boolean => a?.left === b.left && a.width === b.width && a.from === b.from && a.to === b.to;

/** Vertical lines where something happened. */
function drawMarks({ ctx, bbox, scales: { x } }: uPlot, { marks = [] }: ChartData): void {
  ctx.save();
  ctx.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--edge').trim();
  ctx.lineWidth = uPlot.pxRatio;
  ctx.setLineDash([3 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
  const [from, to] = [x?.min ?? 0, x?.max ?? 1];
  for (const { at } of marks.filter((mark) => mark.at >= from && mark.at <= to)) {
    const left = Math.round(bbox.left + ((at - from) / (to - from)) * bbox.width);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

interface Shown {
  readonly latest: RefObject<PlotProps>;
  readonly setPointed: (pointed: Pointed | null) => void;
  readonly setFrame: (next: (known: Frame | null) => Frame | null) => void;
}

/** What happens when somebody points, drags, or the chart was drawn. Never changes: uPlot takes it once. */
function usePlotEvents({ latest, setPointed, setFrame }: Shown): PlotEvents {
  const onPoint = useCallback(
    (drawn: uPlot) => {
      const { idx, left = -1, top = 0 } = drawn.cursor;
      const step = idx === null || idx === undefined || left < 0 ? null : idx;
      latest.current.onStep(step);
      // Of the charts that share a crosshair only the one under the pointer has a tooltip.
      const isHere = drawn.over.matches(':hover');
      if (isHere || step === null) setPointed(step === null ? null : { step, left: left + drawn.over.offsetLeft, top });
    },
    [latest, setPointed],
  );
  const onSelect = useCallback(
    (drawn: uPlot) => {
      const { left, width } = drawn.select;
      if (width < DRAG_MIN) return;
      const [from, to] = [drawn.posToVal(left, 'x'), drawn.posToVal(left + width, 'x')];
      drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      const { data: shown, onZoom } = latest.current;
      const span = snapRange(shown.at, shown.stepMs, { from, to });
      if (span) onZoom?.(span.from, span.to);
    },
    [latest],
  );
  const onDrawn = useCallback(
    (drawn: uPlot) => {
      drawMarks(drawn, latest.current.data);
      const next = frameOf(drawn);
      setFrame((known) => (isSame(known, next) ? known : next));
    },
    [latest, setFrame],
  );
  const onZoomOut = useCallback(() => latest.current.onZoomOut?.(), [latest]);
  return useMemo(() => ({ onPoint, onSelect, onDrawn, onZoomOut }), [onPoint, onSelect, onDrawn, onZoomOut]);
}

/** Draws a chart with uPlot and keeps it as wide as its box, in the colours of the theme. */
export function usePlot(props: PlotProps): DrawnPlot {
  const { data, height, group } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const [frame, setFrame] = useState<Frame | null>(null);
  useEffect(() => {
    latest.current = props;
  });
  const events = usePlotEvents({ latest, setPointed, setFrame });
  const structure = structureOf(data);
  const { unit } = data;
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const shown = latest.current.data;
    const size = { width: element.clientWidth, height };
    const drawn = new uPlot(plotOptions(shown, size, group, events), plotData(shown), element);
    plot.current = drawn;
    const sizes = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    const themes = new MutationObserver(() => drawn.redraw(false, true));
    sizes.observe(element);
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      drawn.destroy();
      plot.current = null;
    };
  }, [structure, unit, height, group, events]);
  useEffect(() => {
    if (plot.current) plot.current.setData(plotData(data));
  }, [data]);
  return { box, plot, pointed, frame, setPointed };
}
