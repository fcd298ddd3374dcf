import type { UsageGroup, UsageRow } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, lazy, Suspense, useCallback, useMemo } from 'react';
import { USAGE_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { Button, buttonClass } from '../ui/button.js';
import { EmptyState } from '../ui/empty-state.js';
import { ExportMenu } from '../ui/export-menu.js';
import { Loaded } from '../ui/loaded.js';
import { Notice } from '../ui/notice.js';
import { Page } from '../ui/page.js';
import { RangePicker } from '../ui/range-picker.js';
import { Skeleton } from '../ui/skeleton.js';
import { StatGrid } from '../ui/stat-grid.js';
import { useNow } from '../ui/use-now.js';
import { type UrlState, useUrlState } from '../url-state/use-url-state.js';
import { partName } from './group-names.js';
import { UsageFilterBar } from './usage-controls.js';
import { fileName, usageCsv, usageJson } from './usage-file.js';
import { drilledDown, filtersOf, isFiltered, KEYS_MAX, type UsageState } from './usage-filters.js';
import { UsageParts } from './usage-parts.js';
import { everyStep, rangeBefore, sumOf, usageRange } from './usage-range.js';
import { UsageRefusals } from './usage-refusals.js';
import { statsOf } from './usage-stats.js';
import { type Known, useKnown } from './use-names.js';
import { type UsageSource, useUsageFigures } from './use-usage-figures.js';

const UsageChartPanel = lazy(async () => ({ default: (await import('./usage-chart-panel.js')).UsageChartPanel }));

/** What the account used: how much, by whom, how fast, and what was refused. */
export function UsageScreen(): JSX.Element {
  const url = useUrlState(USAGE_SEARCH);
  const [state, set] = url;
  const known = useKnown();
  const now = useNow();
  const { from, to, step } = usageRange(state, now);
  const range = useMemo(() => ({ from, to, step }), [from, to, step]);
  const filters = useMemo(() => filtersOf(state, known.keysOf), [state, known]);
  const figures = useUsageFigures({ state, range, filters });
  const by: UsageGroup = state.by === 'none' ? 'deployment' : state.by;
  const nameOf = useCallback((row: Partial<UsageRow>) => partName(known, row, by), [known, by]);
  const shown = state.by === 'none' ? figures.whole.data : figures.split.data;
  const file = shown ? { range, filters, by: state.by, rows: shown.rows, asOf: shown.as_of, nameOf } : null;
  return (
    <Page
      title="Usage"
      actions={
        <ExportMenu
          name={file ? fileName(file) : ''}
          csv={() => (file ? usageCsv(file) : '')}
          json={() => (file ? usageJson(file) : '')}
          disabled={file === null}
        />
      }
    >
      <div className="grid gap-3">
        <RangePicker state={url} canCompare canBeLive />
        <UsageFilterBar {...{ known, state, set }} />
        {state.member.some((email) => known.keysOf(email).length > KEYS_MAX) && (
          <Notice look="info">
            Of a member with more than {KEYS_MAX} keys the newest {KEYS_MAX} are counted.
          </Notice>
        )}
      </div>
      <Loaded query={figures.total} what="Usage" shape="figures" rows={6}>
        {({ rows }) =>
          sumOf(rows).requests === 0 && !figures.total.isPlaceholderData ? (
            <NoUsage {...{ state, set }} isUnused={figures.isUnused} />
          ) : (
            <Figures {...{ url, range, figures, known, nameOf, by }} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface FiguresProps {
  readonly url: UrlState<UsageState>;
  readonly range: UsageSource['range'];
  readonly figures: ReturnType<typeof useUsageFigures>;
  readonly known: Known;
  readonly nameOf: (row: Partial<UsageRow>) => string;
  readonly by: UsageGroup;
}

function Figures({ url, range, figures, known, nameOf, by }: FiguresProps): JSX.Element {
  const [state, set] = url;
  const { total, totalBefore, whole, wholeBefore, split, parts, ends } = figures;
  const sums = total.data?.rows[0] ?? sumOf([]);
  const steps = useMemo(() => everyStep(range, whole.data?.rows ?? []), [range, whole.data]);
  const earlier = totalBefore.data && (totalBefore.data.rows[0] ?? sumOf([]));
  const before = useMemo(
    () => (state.compare && wholeBefore.data ? { range: rangeBefore(range), rows: wholeBefore.data.rows } : null),
    [state.compare, wholeBefore.data, range],
  );
  const keyNameOf = useCallback((row: Partial<UsageRow>) => partName(known, row, 'key'), [known]);
  const drill = (change: Partial<UsageState>): void => set(change, { push: true });
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)] gap-6 transition-opacity ${total.isPlaceholderData ? 'opacity-60' : ''}`}>
      <StatGrid label="Key figures" stats={statsOf({ total: sums, before: earlier, steps })} />
      <Suspense fallback={<Skeleton shape="chart" what="Usage over time" />}>
        <UsageChartPanel state={url} {...{ range, before, nameOf }} query={state.by === 'none' ? whole : split} />
      </Suspense>
      <UsageParts by={by} query={parts} nameOf={nameOf} onDrill={(values) => drill(drilledDown(by, values))} />
      <UsageRefusals query={ends} nameOf={keyNameOf} onDrill={({ keys, code }) => drill({ key: keys, status: [code], by: 'deployment' })} />
    </div>
  );
}

interface NoUsageProps {
  readonly state: UsageState;
  readonly set: UrlState<UsageState>[1];
  readonly isUnused: boolean;
}

/** What is shown in place of zeros. */
function NoUsage({ state, set, isUnused }: NoUsageProps): JSX.Element {
  const { slug: account } = useAccount();
  if (isUnused && !isFiltered(state)) {
    return (
      <EmptyState
        icon="chart"
        title="No requests yet"
        command="npx slipway usage --by key --from 24h"
        action={
          <Link to="/$account/home" params={{ account }} className={buttonClass('main')}>
            Send the first request
          </Link>
        }
      >
        Requests, tokens and latency of every key and deployment are shown here a few seconds after they end.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="chart"
      title="No requests match"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {isFiltered(state) && (
            <Button icon="close" onClick={() => set({ deployment: [], key: [], alias: [], api: [], status: [], member: [] })}>
              Clear filters
            </Button>
          )}
          <Button onClick={() => set({ range: '90d', from: null, to: null }, { push: true })}>Show the last 90 days</Button>
        </div>
      }
    >
      There are no requests in this range{isFiltered(state) ? ' with these filters' : ''}.
    </EmptyState>
  );
}
