import type { UsageRow } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { type JSX, useMemo } from 'react';
import { messageOf } from '../api/console-error.js';
import { TimeSeries } from '../charts/time-series.js';
import { plural } from '../format/number.js';
import { formatExact } from '../format/time.js';
import { useTimeZone } from '../format/time-zone.js';
import { SelectField } from '../ui/field.js';
import { Panel } from '../ui/page.js';
import { Segments } from '../ui/segments.js';
import type { UrlState } from '../url-state/use-url-state.js';
import { GROUPS } from './group-names.js';
import type { UsageAnswer } from './read-usage.js';
import { PARTS_MAX } from './parts.js';
import { chartOf } from './usage-chart.js';
import type { UsageState } from './usage-filters.js';
import { STEP_MS } from '../url-state/range-steps.js';
import type { UsageRange } from './usage-range.js';

const VIEWS = [
  { value: 'requests', label: 'Requests' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'speed', label: 'Speed' },
] as const;
const MEASURES = [
  { value: 'ttft', label: 'Time to first token' },
  { value: 'duration', label: 'Duration' },
  { value: 'rate', label: 'Tokens per second' },
] as const;
const SPLITS = [{ value: 'none', label: 'Total' }, ...GROUPS] as const;

export interface UsageChartPanelProps {
  readonly state: UrlState<UsageState>;
  readonly range: UsageRange;
  readonly query: UseQueryResult<UsageAnswer>;
  /** The period before; null = it is not shown. */
  readonly before: { readonly range: UsageRange; readonly rows: readonly UsageRow[] } | null;
  readonly nameOf: (row: Partial<UsageRow>) => string;
}

/** The course of what is shown, and how it is split. */
export function UsageChartPanel({ state: [state, set], range, query, before, nameOf }: UsageChartPanelProps): JSX.Element {
  const zone = useTimeZone();
  const { view, measure, by } = state;
  const chart = useMemo(
    () => chartOf({ state: { view, measure, by }, range, rows: query.data?.rows ?? [], before, nameOf }),
    [view, measure, by, range, query.data, before, nameOf],
  );
  const at = useMemo(() => chart.steps.map(({ from }) => Date.parse(from)), [chart.steps]);
  return (
    <Panel
      title="Over time"
      actions={
        <div className="flex flex-wrap items-center gap-2">
          <Segments label="View" choices={VIEWS} value={view} onChange={(next) => set({ view: next })} />
          {view === 'speed' && <Segments label="Measure" choices={MEASURES} value={measure} onChange={(next) => set({ measure: next })} />}
          <SelectField
            label="Split by"
            bare
            choices={SPLITS.map((one) => ({ ...one, label: one.value === 'none' ? 'No split' : `By ${one.label.toLowerCase()}` }))}
            value={by}
            onChange={({ target }) => set({ by: SPLITS.find(({ value }) => value === target.value)?.value ?? 'none' })}
          />
        </div>
      }
    >
      <TimeSeries
        label={chart.figure.label}
        {...{ at, kind: chart.kind, unit: chart.unit, series: chart.series }}
        {...(chart.before && { before: chart.before })}
        stepMs={STEP_MS[range.step]}
        time={zone}
        isLoading={query.isPending}
        onZoom={(from, to) => set({ from, to }, { push: true })}
        {...(state.from !== null && { onZoomOut: () => set({ from: null, to: null }, { push: true }) })}
        {...(query.isError && !query.data && { error: messageOf(query.error), onRetry: () => void query.refetch() })}
      />
      <p className="text-xs text-muted">
        {[
          chart.figure.about,
          !chart.figure.isSum && by !== 'none' ? 'Lines are p50.' : undefined,
          chart.left > 0 ? `${plural(chart.left, 'part')} with fewer requests than these ${PARTS_MAX} are in the table below.` : undefined,
          zoneWords(range, zone),
          query.data && `As of ${formatExact(query.data.as_of, zone)}.`,
        ]
          .filter((words) => words !== undefined)
          .join(' ')}
      </p>
    </Panel>
  );
}

/** In which zone the axis counts. */
function zoneWords({ step }: UsageRange, zone: 'local' | 'utc'): string {
  if (step === 'day') return 'Days are those of UTC.';
  return zone === 'utc' ? 'Times are UTC.' : `Times are local (${new Intl.DateTimeFormat().resolvedOptions().timeZone}).`;
}
