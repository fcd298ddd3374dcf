import { type JSX, lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Icon, type IconName } from '../ui/icon.js';
import { ChartTable } from './chart-table.js';
import { type ChartData, colourOf, isEmpty } from './chart-model.js';
import { chartSummary } from './chart-summary.js';
import { Legend } from './legend.js';
import { zoneOf } from './zone.js';

const Plot = lazy(async () => ({ default: (await import('./plot.js')).Plot }));

export interface TimeSeriesProps extends Omit<ChartData, 'zone'> {
  /** What is charted: "Requests". */
  readonly label: string;
  /** Height of the plot in pixels; 220 unless told. */
  readonly height?: 160 | 220;
  /** Zone of axis, tooltip and table; steps of days are always UTC. Local unless told. */
  readonly time?: 'local' | 'utc';
  /** Charts of one group show the same crosshair. */
  readonly group?: string;
  /** A span was chosen, in milliseconds, whole steps, the end not included. Absent = there is no zoom. */
  readonly onZoom?: (from: number, to: number) => void;
  /** Absent where nothing is zoomed. */
  readonly onZoomOut?: () => void;
  /** What stands in place of a chart without values. */
  readonly empty?: string;
  readonly isLoading?: boolean;
  /** Why there are no values. */
  readonly error?: string;
  readonly onRetry?: () => void;
}

/** A figure over time, or over what `axis` counts: lines, or areas or bars on top of each other, with tooltip, zoom, legend and the same as a table. */
export function TimeSeries(props: TimeSeriesProps): JSX.Element {
  const { label, height = 220, empty = 'No data in this range', isLoading = false, error, onRetry, series } = props;
  if (isLoading) return <Skeleton label={label} height={height} />;
  if (error !== undefined) {
    return (
      <Message height={height} icon="warning" text={error}>
        {onRetry && <Small icon="refresh" text="Try again" onClick={onRetry} />}
      </Message>
    );
  }
  const { onZoomOut } = props;
  if (isEmpty(series)) {
    return (
      <Message height={height} icon="chart" text={empty}>
        {onZoomOut && <Small icon="undo" text="Zoom out" onClick={onZoomOut} />}
      </Message>
    );
  }
  return <Chart {...props} height={height} />;
}

function Chart({ label, height, group, time = 'local', onZoom, onZoomOut, ...rest }: TimeSeriesProps & { height: number }): JSX.Element {
  const { at, stepMs, series, kind, unit, before, marks, axis } = rest;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [step, setStep] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const zone = zoneOf(time, stepMs);
  const data = useMemo((): ChartData => {
    // Coloured by its place among all: hiding one leaves the others as they are.
    const coloured = series.map((one, place) => ({ ...one, colour: colourOf(one, place) }));
    return { at, stepMs, series: coloured, kind, unit, zone, ...(before && { before }), ...(marks && { marks }), ...(axis && { axis }) };
  }, [at, stepMs, series, kind, unit, zone, before, marks, axis]);
  const shown = useMemo(() => ({ ...data, series: data.series.filter((one) => !hidden.has(one.label)) }), [data, hidden]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p className="sr-only">{chartSummary(label, series, unit, axis?.title.toLowerCase())}</p>
      {isTable ? (
        <ChartTable data={data} label={label} height={height} />
      ) : (
        <Suspense fallback={<Skeleton label={label} height={height} />}>
          <Plot data={shown} label={label} height={height} group={group} onStep={setStep} onZoom={onZoom} onZoomOut={onZoomOut} />
        </Suspense>
      )}
      <div className="flex items-start justify-between gap-3">
        <Legend data={data} hidden={hidden} step={step} onHidden={setHidden} />
        <div className="flex shrink-0 gap-1">
          {onZoomOut && <Small icon="undo" text="Zoom out" onClick={onZoomOut} />}
          <Small
            icon={isTable ? 'chart' : 'rows-compact'}
            text={isTable ? 'Chart' : 'Table'}
            name={`Show as ${isTable ? 'chart' : 'table'}: ${label}`}
            onClick={() => setTable(!isTable)}
          />
        </div>
      </div>
    </div>
  );
}

interface SmallProps {
  readonly icon: IconName;
  readonly text: string;
  /** The whole of what it does, where the text alone leaves that open. */
  readonly name?: string;
  readonly onClick: () => void;
}

function Small({ icon, text, name, onClick }: SmallProps): JSX.Element {
  return (
    <button
      type="button"
      onClick={onClick}
      aria-label={name}
      title={name}
      className="inline-flex min-h-6 items-center gap-1.5 rounded-sm px-1.5 text-xs text-muted hover:bg-sunken hover:text-ink pointer-coarse:min-h-11"
    >
      <Icon name={icon} className="size-3.5" />
      {text}
    </button>
  );
}

interface MessageProps {
  readonly height: number;
  readonly icon: IconName;
  readonly text: string;
  readonly children?: ReactNode;
}

function Message({ height, icon, text, children }: MessageProps): JSX.Element {
  return (
    <div
      className="grid place-content-center justify-items-center gap-2 rounded-md bg-sunken/60 p-4 text-center"
      style={{ minHeight: height }}
    >
      <Icon name={icon} className="size-5 text-muted" />
      <p className="text-sm text-muted">{text}</p>
      {children}
    </div>
  );
}

/** Heights of the bars that stand in for a chart, in percent. */
const BARS = [35, 55, 45, 70, 60, 85, 65, 50, 75, 90, 60, 45];

function Skeleton({ label, height }: { readonly label: string; readonly height: number }): JSX.Element {
  return (
    <div role="status" className="flex animate-pulse items-end gap-2 border-b border-line px-2" style={{ height }}>
      <span className="sr-only">{label}: loading</span>
      {BARS.map((share, bar) => (
        <span key={bar} className="flex-1 rounded-t-sm bg-sunken" style={{ height: `${share}%` }} />
      ))}
    </div>
  );
}
