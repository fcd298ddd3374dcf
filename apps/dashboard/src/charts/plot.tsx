import { type JSX, type KeyboardEvent, useState } from 'react';
import { Marks } from './marks.js';
import { stepInWords, Tooltip } from './tooltip.js';
import { type DrawnPlot, type PlotProps, usePlot } from './use-plot.js';

/** The step that a key leads to; null for keys that lead nowhere. */
function nextStep(key: string, step: number | null, last: number): number | null {
  const moves: Readonly<Record<string, number>> = {
    ArrowRight: step === null ? 0 : Math.min(last, step + 1),
    ArrowLeft: step === null ? last : Math.max(0, step - 1),
    Home: 0,
    End: last,
  };
  return moves[key] ?? null;
}

/** Arrow keys move through the steps, with Shift they mark a span; Enter zooms into it, Escape lets go. */
function useKeys({ data, onStep, onZoom, onZoomOut }: PlotProps, { plot, setPointed }: DrawnPlot) {
  const [step, setStep] = useState<number | null>(null);
  const [anchor, setAnchor] = useState<number | null>(null);
  const show = (next: number | null, from: number | null): void => {
    setStep(next);
    setAnchor(from);
    onStep(next);
    const [drawn, at] = [plot.current, next === null ? undefined : data.at[next]];
    if (!drawn || next === null || at === undefined) return setPointed(null);
    const [left, top] = [drawn.valToPos(at, 'x'), drawn.over.clientHeight / 3];
    drawn.setCursor({ left, top });
    setPointed({ step: next, left: left + drawn.over.offsetLeft, top });
    const begin = from === null ? left : drawn.valToPos(data.at[from] ?? at, 'x');
    const span = { left: Math.min(begin, left), width: Math.abs(left - begin), top: 0, height: drawn.over.clientHeight };
    drawn.setSelect(span, false);
  };
  const leave = (): void => {
    plot.current?.setCursor({ left: -10, top: -10 });
    plot.current?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    show(null, null);
  };
  const zoom = (): void => {
    const [from, to] = [step, anchor].map((one) => (one === null ? undefined : data.at[one]));
    if (from === undefined || to === undefined || !onZoom) return;
    leave();
    onZoom(Math.min(from, to), Math.max(from, to) + data.stepMs);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, shiftKey } = event;
    const next = nextStep(key, step, data.at.length - 1);
    if (next !== null) show(next, shiftKey ? (anchor ?? step ?? next) : null);
    else if (key === 'Enter') zoom();
    else if (key === 'Escape') leave();
    else if (key === 'Backspace') onZoomOut?.();
    else return;
    event.preventDefault();
  };
  return { words: step === null ? '' : stepInWords(data, step), onKeyDown, onBlur: () => step !== null && leave() };
}

/** A chart drawn by uPlot, with what lies over it: the tooltip and what happened. */
export function Plot(props: PlotProps): JSX.Element {
  const { data, label, height } = props;
  const drawn = usePlot(props);
  const { words, onKeyDown, onBlur } = useKeys(props, drawn);
  const { box, pointed, frame } = drawn;
  return (
    <div className="relative" style={{ height }}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys move through the steps: an application is what takes keys */}
      <div
        ref={box}
        role="application"
        aria-roledescription="chart"
        aria-label={`${label}. Arrow keys move through the steps.`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
        className="chart h-full w-full rounded-sm"
      />
      {frame && <Marks data={data} frame={frame} />}
      {pointed && frame && <Tooltip data={data} pointed={pointed} width={frame.left + frame.width} />}
      <span role="status" className="sr-only">
        {words}
      </span>
    </div>
  );
}
