import type { CheckpointView, JobView, MetricPoint } from '@slipway/contracts';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { type JSX, useMemo } from 'react';
import { againAfter } from '../api/query-client.js';
import { call, useCall } from '../api/use-call.js';
import type { ChartMark } from '../charts/chart-model.js';
import { TimeSeries } from '../charts/time-series.js';
import { formatBytes, formatCompact, formatCount, plural } from '../format/number.js';
import { CHECKPOINTS_SEARCH } from '../searches.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { ProgressBar } from '../ui/meter.js';
import { Moment } from '../ui/moment.js';
import { Panel, Section } from '../ui/page.js';
import { StatGrid } from '../ui/stat-grid.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { adapterMark, checkpointMarks, curveOf, LEARNING_RATE, LOSS, lossOf, mergePoints, STEP_AXIS } from './job-curve.js';
import { formatSeconds, heldOutOf, isOver, jobText } from './job-words.js';
import { LOOK_EVERY_MS } from './use-jobs.js';

/** How far a job is: figures, curve, checkpoints. */
export function ProgressTab({ job }: { readonly job: JobView }): JSX.Element {
  const every = isOver(job) ? undefined : { every: () => LOOK_EVERY_MS.running };
  const checkpoints = useCall('jobs/checkpoints', { job: job.id }, { ...every });
  const metrics = useMetrics(job);
  const curve = useMemo(() => curveOf(metrics.data ?? []), [metrics.data]);
  const kept = checkpoints.data?.checkpoints;
  const made = useCall('adapters/find', { adapter: job.adapter ?? 0 }, { enabled: job.adapter !== null, staleMs: 60_000 });
  const step = made.data?.adapter.step ?? null;
  const marks = useMemo(() => marksOf(kept, step), [kept, step]);
  const base = {
    at: curve.at,
    stepMs: 1,
    kind: 'lines',
    axis: STEP_AXIS,
    group: `job ${job.id}`,
    isLoading: metrics.data === undefined,
  } as const;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      {!isOver(job) && job.progress !== null && <ProgressBar label="Progress of the job" share={job.progress} text={progressText(job)} />}
      <Figures job={job} mean={lossOf(curve)} best={step ?? job.best_step} />
      <Panel title="Loss">
        <TimeSeries label="Loss" {...base} series={curve.losses} unit={LOSS} marks={marks} empty="No step yet" />
      </Panel>
      {curve.margin.length > 0 && (
        <Panel title="Margin of the chosen answers">
          <TimeSeries label="Margin of the chosen answers" {...base} height={160} series={curve.margin} unit={LOSS} />
        </Panel>
      )}
      {curve.rate.length > 0 && (
        <Panel title="Learning rate">
          <TimeSeries label="Learning rate" {...base} height={160} series={curve.rate} unit={LEARNING_RATE} />
        </Panel>
      )}
      <Checkpoints job={job} made={step} query={checkpoints} />
    </div>
  );
}

const marksOf = (kept: readonly CheckpointView[] | undefined, made: number | null): readonly ChartMark[] =>
  made === null ? checkpointMarks(kept ?? []) : [adapterMark(made)];

function progressText(job: JobView): string {
  const steps = job.steps === null ? `step ${formatCount(job.step)}` : `step ${formatCount(job.step)} of ${formatCount(job.steps)}`;
  return `${jobText(job)}, ${steps}${job.eta_s === null ? '' : `, about ${formatSeconds(job.eta_s)} left`}`;
}

interface FiguresProps {
  readonly job: JobView;
  /** Mean loss of the last steps; null = none yet. */
  readonly mean: number | null;
  /** The best step so far, or the one that became the adapter; null = none yet. */
  readonly best: number | null;
}

function Figures({ job, mean, best }: FiguresProps): JSX.Element {
  const loss = (value: number | null): string => (value === null ? '–' : LOSS.format(value));
  return (
    <StatGrid
      label="Figures of the job"
      stats={[
        {
          label: 'Step',
          value: formatCompact(job.step),
          hint:
            job.steps === null ? undefined : `of ${formatCount(job.steps)}${job.epoch === null ? '' : `, epoch ${job.epoch.toFixed(1)}`}`,
        },
        { label: 'Training loss', value: loss(mean), hint: mean === null ? undefined : 'Mean of the last steps' },
        heldOutOf(job) === 0
          ? { label: 'Best checkpoint', value: best === null ? '–' : `Step ${formatCount(best)}`, hint: 'Nothing is held out' }
          : {
              label: 'Held-out loss',
              value: loss(job.held_loss),
              hint: best === null ? undefined : `Best at step ${formatCount(best)}`,
            },
        { label: 'Tokens learned', value: job.learned_tokens === null ? '–' : formatCompact(job.learned_tokens) },
        { label: 'Time', value: formatSeconds(job.device_seconds), hint: job.attempt > 1 ? plural(job.attempt, 'attempt') : undefined },
      ]}
    />
  );
}

interface CheckpointsProps {
  readonly job: JobView;
  /** The step whose checkpoint became the adapter; null = none. */
  readonly made: number | null;
  readonly query: ReturnType<typeof useCall<'jobs/checkpoints'>>;
}

/** The stored checkpoints; a job that is over has none. */
function Checkpoints({ job, made, query }: CheckpointsProps): JSX.Element {
  const state = useUrlState(CHECKPOINTS_SEARCH);
  const rows = query.data?.checkpoints;
  if (isOver(job) && rows?.length === 0) {
    const text =
      made === null
        ? 'Checkpoints are removed when a job ends without an adapter.'
        : `The checkpoint at step ${formatCount(made)} became the adapter. The others were removed.`;
    return <p className="text-sm text-muted">{text}</p>;
  }
  return (
    <Section title="Checkpoints" about="The best three and the newest are kept until the job ends.">
      <DataTable
        label="Checkpoints"
        {...{ rows, query, state }}
        columns={COLUMNS}
        keyOf={({ step }) => step}
        nameOf={({ step }) => `step ${step}`}
        empty={
          <EmptyState title="No checkpoint yet" icon="pin">
            The first one is stored after 5 % of the steps.
          </EmptyState>
        }
      />
    </Section>
  );
}

const COLUMNS: readonly Column<CheckpointView>[] = [
  {
    id: 'step',
    title: 'Step',
    cell: ({ step, best }) => (best ? `${formatCount(step)} (best)` : formatCount(step)),
    value: ({ step }) => step,
    width: 120,
    pin: 'left',
  },
  {
    id: 'loss',
    title: 'Held-out loss',
    cell: ({ held_loss: loss }) => (loss === null ? '–' : LOSS.format(loss)),
    value: ({ held_loss: loss }) => loss,
    numeric: true,
    card: 'figure',
  },
  {
    id: 'degenerate',
    title: 'Degenerate answers',
    cell: ({ degenerate }) => (degenerate === null ? '–' : formatCount(degenerate)),
    value: ({ degenerate }) => degenerate,
    numeric: true,
  },
  { id: 'bytes', title: 'Size', cell: ({ bytes }) => formatBytes(bytes), value: ({ bytes }) => bytes, numeric: true },
  { id: 'at', title: 'Stored', cell: ({ at }) => <Moment at={at} />, value: ({ at }) => Date.parse(at), numeric: true },
];

/** More points are read again as a whole: the service thins them out. */
const POINTS_MAX = 4_000;

/** The curve of a job. While it runs only what is new is asked for; an attempt that goes back reads all of it again. */
function useMetrics(job: JobView): UseQueryResult<readonly MetricPoint[]> {
  const client = useQueryClient();
  const queryKey = ['jobs/metrics', job.id, job.attempt, isOver(job)];
  return useQuery<readonly MetricPoint[]>({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<readonly MetricPoint[]>(queryKey) ?? [];
      const isWhole = known.length === 0 || known.length > POINTS_MAX;
      const since = known.at(-1)?.step ?? 0;
      const { points } = await call('jobs/metrics', { job: job.id, ...(!isWhole && { since }) }, signal);
      return isWhole ? points : mergePoints(known, points);
    },
    refetchInterval: ({ state }) => (isOver(job) ? false : LOOK_EVERY_MS.running) || againAfter(state.error),
    placeholderData: (before) => before,
  });
}
