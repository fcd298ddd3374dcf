import { type JSX, useEffect, useMemo, useRef, useState } from 'react';
import { stepsOf } from '../charts/steps.js';
import { TimeSeries, type TimeSeriesProps } from '../charts/time-series.js';
import { COUNT, DURATION_MS, RATE } from '../charts/units.js';
import { messageOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { formatClock } from '../format/time.js';
import { DEPLOYMENT_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { Panel } from '../ui/page.js';
import { RangePicker } from '../ui/range-picker.js';
import { useNow } from '../ui/use-now.js';
import { stepsOfRange } from '../url-state/range-steps.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { DeploymentDetails } from './deployment-details.js';
import { slugOf } from './inference-target.js';
import { outcomeSeries, percentileSeries, revisionMarks, tokenSeries } from './metric-series.js';
import { useLoad } from './use-deployments.js';

const LOOK_AGAIN_MS = 10_000;
/** Samples of the live load that a page keeps: ten minutes at one each 2 s. */
const SAMPLES_MAX = 300;
const SAMPLE_MS = 2_000;
/** Charts of this group show one crosshair. */
const GROUP = 'deployment';

/** How a deployment does: what the ledger holds of its requests, and its load now. */
export function MetricsTab({ details }: { readonly details: DeploymentDetails }): JSX.Element {
  const { deployment, revisions } = details;
  const url = useUrlState(DEPLOYMENT_SEARCH);
  const [state, set] = url;
  const { slug: account } = useAccount();
  const { from, to, step, stepMs } = stepsOfRange(state, useNow());
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), step, deployment: deployment.id };
  const every = { every: () => (state.live ? LOOK_AGAIN_MS : (false as const)), keep: true };
  const sums = useCall('usage/query', { ...span, group_by: [], latency: true }, every);
  const outcomes = useCall('usage/query', { ...span, group_by: ['status'] }, every);
  const at = useMemo(() => stepsOf({ from, to, stepMs }), [from, to, stepMs]);
  const rows = sums.data?.rows;
  const charts = useMemo(() => chartsOf(rows ?? [], outcomes.data?.rows ?? [], at), [rows, outcomes.data, at]);
  const href = `/${account}/deployments/${slugOf(deployment)}?tab=revisions`;
  const marks = useMemo(() => revisionMarks(revisions, { from, to }, href), [revisions, from, to, href]);
  const error = sums.data === undefined && sums.isError ? messageOf(sums.error) : undefined;
  const common: Common = {
    ...{ at, stepMs, marks, group: GROUP, isLoading: sums.isPending },
    ...(step === 'day' && { time: 'utc' as const }),
    ...(error !== undefined && { error, onRetry: () => void sums.refetch() }),
    onZoom: (start, end) => set({ from: start, to: end }, { push: true }),
    ...(state.from !== null && { onZoomOut: () => set({ from: null, to: null }, { push: true }) }),
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <RangePicker state={url} canBeLive />
        {sums.data && <p className="text-xs text-muted tabular-nums">As of {formatClock(Date.parse(sums.data.as_of))}</p>}
      </div>
      <div
        className={`grid grid-cols-[minmax(0,1fr)] gap-4 transition-opacity lg:grid-cols-2 ${sums.isPlaceholderData ? 'opacity-60' : ''}`}
      >
        {charts.map((chart) => (
          <Panel key={chart.label} title={chart.label} {...(chart.about !== undefined && { about: chart.about })}>
            <TimeSeries {...common} {...chart} />
          </Panel>
        ))}
        <LiveLoad id={deployment.id} />
      </div>
    </div>
  );
}

type Common = Pick<TimeSeriesProps, 'at' | 'stepMs'> & Partial<TimeSeriesProps>;
type Chart = Pick<TimeSeriesProps, 'label' | 'series' | 'kind' | 'unit' | 'empty'> & { readonly about?: string };
type Rows = Parameters<typeof tokenSeries>[0];

function chartsOf(sums: Rows, outcomes: Rows, at: readonly number[]): readonly Chart[] {
  const empty = 'No requests in this range';
  return [
    { label: 'Requests by outcome', series: outcomeSeries(outcomes, at), kind: 'bars', unit: COUNT, empty },
    { label: 'Tokens', series: tokenSeries(sums, at), kind: 'bars', unit: COUNT, empty },
    { label: 'Time to first token', series: percentileSeries(sums, at, 'ttft_ms'), kind: 'lines', unit: DURATION_MS, empty },
    { label: 'Duration', series: percentileSeries(sums, at, 'duration_ms'), kind: 'lines', unit: DURATION_MS, empty },
    {
      label: 'Tokens per second',
      about: 'Of one answer, after its first token. p95 and p99 are the fastest.',
      series: percentileSeries(sums, at, 'tokens_per_second'),
      kind: 'lines',
      unit: RATE,
      empty,
    },
  ];
}

interface Sample {
  readonly at: number;
  readonly inFlight: number | null;
  readonly queued: number | null;
}

const LIVE = { ...COUNT, legend: 'last' } as const;

const courseOf = (samples: readonly Sample[]): Pick<TimeSeriesProps, 'at' | 'series'> => ({
  at: samples.map(({ at }) => at),
  series: [
    { label: 'In flight', values: samples.map(({ inFlight }) => inFlight) },
    { label: 'Queued', colour: 'series-4', values: samples.map(({ queued }) => queued) },
  ],
});

/** Requests in flight and queued since the page was opened: gateways keep no history of them. */
function LiveLoad({ id }: { readonly id: number }): JSX.Element {
  const load = useLoad(id);
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  }, [load]);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const take = (): void => {
      const now = latest.current;
      const sample = { at: Math.floor(Date.now() / SAMPLE_MS) * SAMPLE_MS, inFlight: now?.in_flight ?? null, queued: now?.queued ?? null };
      setSamples((before) => [...before.filter(({ at }) => at !== sample.at), sample].slice(-SAMPLES_MAX));
    };
    take();
    const timer = setInterval(take, SAMPLE_MS);
    return () => clearInterval(timer);
  }, []);
  const course = useMemo(() => courseOf(samples), [samples]);
  return (
    <Panel title="In flight and queued, live" about={load ? `${load.slots} slots` : undefined}>
      <TimeSeries
        label="In flight and queued"
        {...course}
        stepMs={SAMPLE_MS}
        kind="areas"
        unit={LIVE}
        empty={load ? 'No requests in flight since this page was opened' : 'The load is not known right now'}
      />
    </Panel>
  );
}
