import type { BaseView, DatasetStatistics, MeasureView } from '@slipway/contracts';
import { type JSX, useMemo } from 'react';
import { messageOf } from '../api/console-error.js';
import { useCall } from '../api/use-call.js';
import { BarList } from '../charts/bar-list.js';
import type { ChartMark } from '../charts/chart-model.js';
import { TimeSeries } from '../charts/time-series.js';
import { COUNT } from '../charts/units.js';
import { formatCompact, formatCount, plural } from '../format/number.js';
import { DATA_SET_SEARCH } from '../searches.js';
import { useBases } from '../tuning/use-bases.js';
import { EmptyState } from '../ui/empty-state.js';
import { SelectField } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/page.js';
import { Skeleton } from '../ui/skeleton.js';
import { StatGrid } from '../ui/stat-grid.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { ShownVersion } from './shown-version.js';
import { type Bucket, bucketText, lengthMark } from './length-buckets.js';

/** A measure is made by a worker; so often it is asked for until it is there, in milliseconds. */
const LOOK_EVERY_MS = 1_500;

/** Figures of a version: examples, lengths, roles, scripts, and tokens under a base. */
export function StatisticsTab({ details, version }: ShownVersion): JSX.Element {
  const { statistics } = version;
  if (statistics === null || statistics.examples === 0) {
    return (
      <EmptyState title="No statistics yet" icon="chart">
        They appear once the version is checked.
      </EmptyState>
    );
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Figures statistics={statistics} />
      {version.state === 'ready' && <Tokens dataset={details.dataset.id} version={version.number} />}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <Panel title="Length of examples in characters">
          <Histogram label="Examples by length in characters" buckets={statistics.histogram} unit="characters" />
          <p className="text-sm text-muted">
            Half are up to {formatCount(statistics.lengths.p50)} characters, 99 % up to {formatCount(statistics.lengths.p99)}; the longest
            has {formatCount(statistics.lengths.longest)}.
          </p>
        </Panel>
        <Panel title="Messages by role">
          <BarList label="Messages by role" bars={barsOf(statistics.roles)} format={formatCount} />
        </Panel>
        <Panel title="Examples by script">
          <BarList label="Examples by script" bars={barsOf(statistics.scripts)} format={formatCount} />
        </Panel>
      </div>
    </div>
  );
}

const barsOf = (counts: Readonly<Record<string, number>>): { label: string; value: number }[] =>
  Object.entries(counts)
    .map(([label, value]) => ({ label, value }))
    .toSorted((a, b) => b.value - a.value);

function Figures({ statistics }: { readonly statistics: DatasetStatistics }): JSX.Element {
  const { examples, messages, learned_turns: learned, with_tools: tools, duplicates, conflicts, system_prompts: prompts } = statistics;
  return (
    <StatGrid
      label="Figures of the version"
      stats={[
        { label: 'Examples', value: formatCompact(examples) },
        { label: 'Messages', value: formatCompact(messages), hint: `${formatCompact(learned)} learned` },
        { label: 'With tools', value: formatCompact(tools) },
        {
          label: 'Duplicates',
          value: formatCompact(duplicates),
          hint: conflicts > 0 ? plural(conflicts, 'conflicting answer') : undefined,
        },
        {
          label: 'System prompts',
          value: formatCompact(prompts.different),
          hint: prompts.different > 0 ? `The most frequent: ${plural(prompts.most_frequent, 'example')}` : undefined,
        },
      ]}
    />
  );
}

/** Tokens under the template of a base, which a training worker counts. */
function Tokens({ dataset, version }: { readonly dataset: number; readonly version: number }): JSX.Element | null {
  const [{ base: wanted }, set] = useUrlState(DATA_SET_SEARCH);
  const bases = useBases();
  const base = bases.data?.bases.find((one) => one.base === wanted) ?? bases.data?.bases[0];
  if (bases.data?.bases.length === 0) {
    return <Notice look="info">No training worker is connected. Tokens are counted under the template of a base that a worker has.</Notice>;
  }
  return (
    <Panel
      title="Tokens"
      about="As the served template of the base renders the examples."
      actions={
        base && (
          <div className="w-64 max-w-full">
            <SelectField
              label="Base"
              bare
              choices={(bases.data?.bases ?? []).map((one) => ({ value: one.base, label: one.base }))}
              value={base.base}
              onChange={({ target }) => set({ base: target.value })}
            />
          </div>
        )
      }
    >
      {base ? <Measured key={base.base} {...{ dataset, version, base }} /> : <Skeleton shape="figures" what="Tokens" count={4} />}
    </Panel>
  );
}

interface MeasuredProps {
  readonly dataset: number;
  readonly version: number;
  readonly base: BaseView;
}

function Measured({ dataset, version, base }: MeasuredProps): JSX.Element {
  const { data, error } = useCall(
    'versions/measure',
    { dataset, version, base: base.base },
    { every: (known) => (known?.measure == null ? LOOK_EVERY_MS : false), staleMs: 60_000 },
  );
  if (error) return <Notice look="warn">{messageOf(error)}</Notice>;
  if (!data?.measure) return <Skeleton shape="figures" what="Counting tokens" count={4} />;
  return <Measure measure={data.measure} />;
}

function Measure({ measure }: { readonly measure: MeasureView }): JSX.Element {
  const { tokens, learned_tokens: learned, p50, p99, longest, over_context: over, context, exact, low, high, histogram } = measure;
  const marks = useMemo(() => lengthMark(histogram, context, `Context of the base: ${formatCount(context)} tokens`), [histogram, context]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <StatGrid
        label="Tokens"
        stats={[
          {
            label: 'Tokens',
            value: formatCompact(tokens),
            hint: exact ? 'Exact' : `Estimated: ${formatCompact(low)} to ${formatCompact(high)}`,
          },
          { label: 'Learned in one pass', value: formatCompact(learned) },
          {
            label: 'Longest example',
            value: formatCompact(longest),
            hint: `Half up to ${formatCompact(p50)}, 99 % up to ${formatCompact(p99)}`,
          },
          { label: 'Longer than the context', value: formatCompact(over), hint: `${formatCount(context)} tokens` },
        ]}
      />
      {over > 0 && (
        <Notice look="warn">
          {plural(over, 'example')} {over === 1 ? 'is' : 'are'} longer than the context of {formatCount(context)} tokens. A job leaves them
          out, cuts them or refuses them, as you choose there.
        </Notice>
      )}
      <Histogram label="Examples by length in tokens" buckets={histogram} unit="tokens" marks={marks} />
    </div>
  );
}

interface HistogramProps {
  readonly label: string;
  readonly buckets: readonly Bucket[];
  readonly unit: string;
  readonly marks?: readonly ChartMark[];
}

/** Examples by length. Buckets have the same width, whatever they span. */
function Histogram({ label, buckets, unit, marks }: HistogramProps): JSX.Element {
  const chart = useMemo(
    () => ({
      at: buckets.map((_, at) => at),
      series: [{ label: 'Examples', values: buckets.map(({ examples }) => examples) }],
      axis: { title: 'Length', format: (at: number) => (Number.isInteger(at) ? bucketText(buckets, at) : unit) },
    }),
    [buckets, unit],
  );
  return (
    <TimeSeries label={label} {...chart} stepMs={1} kind="bars" unit={COUNT} height={160} {...(marks && { marks })} empty="No examples" />
  );
}
