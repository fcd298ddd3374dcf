import type { UsageRow } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, useMemo } from 'react';
import { useCall } from '../api/use-call.js';
import { BarList } from '../charts/bar-list.js';
import { TimeSeries } from '../charts/time-series.js';
import { COUNT } from '../charts/units.js';
import { formatClock } from '../format/time.js';
import { formatCount, formatMs, formatPercent } from '../format/number.js';
import { KEY_SEARCH, USAGE_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { Loaded } from '../ui/loaded.js';
import { Panel } from '../ui/page.js';
import { Quantity } from '../ui/quantity.js';
import { RangePicker } from '../ui/range-picker.js';
import { StatGrid } from '../ui/stat-grid.js';
import { useNow } from '../ui/use-now.js';
import { type RangeSteps, stepsOfRange } from '../url-state/range-steps.js';
import { searchFor } from '../url-state/search-codec.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { byStatus, outcomeOf, seriesOf, statusWords } from './key-usage.js';
import { useDeploymentNames } from '../api/lists.js';

const EVERY_MS = 15_000;
const every = (): number => EVERY_MS;

/** What a key used: figures, charts, deployments, and how its requests ended. */
export function KeyUsageTab({ id }: { readonly id: number }): JSX.Element {
  const [range, set] = useUrlState(KEY_SEARCH);
  const steps = stepsOfRange(range, useNow());
  const span = { from: new Date(steps.from).toISOString(), to: new Date(steps.to).toISOString(), key: id };
  const overTime = useCall('usage/query', { ...span, step: steps.step, group_by: ['status'] }, { every, keep: true });
  const zoom = (from: number, to: number): void => set({ from, to }, { push: true });
  const zoomOut = range.from === null ? undefined : () => set({ from: null, to: null }, { push: true });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <RangePicker state={[range, set]} />
      <Loaded query={overTime} what="Usage of the key" shape="figures" rows={5}>
        {({ rows, as_of: asOf }) => (
          <div className={`grid grid-cols-[minmax(0,1fr)] gap-4 ${overTime.isPlaceholderData ? 'opacity-60' : ''}`}>
            <Figures rows={rows} span={span} />
            <Charts {...{ steps, rows, onZoom: zoom }} {...(zoomOut && { onZoomOut: zoomOut })} />
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
              <Outcomes id={id} rows={rows} />
              <Deployments span={span} />
            </div>
            <p className="text-xs text-muted">As of {formatClock(Date.parse(asOf))}. A request counts a second or two after it ends.</p>
          </div>
        )}
      </Loaded>
    </div>
  );
}

interface Span {
  readonly from: string;
  readonly to: string;
  readonly key: number;
}

function Figures({ rows, span }: { readonly rows: readonly UsageRow[]; readonly span: Span }): JSX.Element {
  const total = useCall('usage/query', { ...span, step: 'total', group_by: [], latency: true }, { every, keep: true });
  const sum = (of: (row: UsageRow) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const requests = sum((row) => row.requests);
  const bad = sum((row) => (['refused', 'failed'].includes(outcomeOf(row.status ?? '')) ? row.requests : 0));
  const [tokensIn, cached] = [sum((row) => row.prompt_tokens), sum((row) => row.cached_tokens)];
  const first = total.data?.rows[0]?.latency?.ttft_ms;
  return (
    <StatGrid
      label="Usage of the key"
      stats={[
        { label: 'Requests', value: <Quantity kind="count" value={requests} /> },
        {
          label: 'Refused or failed',
          value: <Quantity kind="count" value={bad} />,
          ...(requests > 0 && { hint: `${formatPercent(bad / requests)} of requests` }),
        },
        {
          label: 'Tokens in',
          value: <Quantity kind="tokens" value={tokensIn} />,
          ...(tokensIn > 0 && { hint: `${formatPercent(cached / tokensIn)} cached` }),
        },
        { label: 'Tokens out', value: <Quantity kind="tokens" value={sum((row) => row.completion_tokens)} /> },
        {
          label: 'Time to first token, p95',
          value: <Quantity kind="ms" value={first?.p95 ?? null} />,
          ...(first && { hint: `p50 ${formatMs(first.p50)}` }),
        },
      ]}
    />
  );
}

interface ChartsProps {
  readonly steps: RangeSteps;
  readonly rows: readonly UsageRow[];
  readonly onZoom: (from: number, to: number) => void;
  readonly onZoomOut?: () => void;
}

function Charts({ steps: { from, to, step, stepMs }, rows, ...zoom }: ChartsProps): JSX.Element {
  const { at, requests, tokens } = useMemo(() => seriesOf({ from, to, stepMs }, rows), [from, to, stepMs, rows]);
  const shared = { at, stepMs, kind: 'bars', unit: COUNT, group: 'key', ...zoom } as const;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
      <Panel title="Requests by outcome" about={`by the ${step}`}>
        <TimeSeries label="Requests by outcome" series={requests} empty="No requests in this range" {...shared} />
      </Panel>
      <Panel title="Tokens" about={`by the ${step}`}>
        <TimeSeries label="Tokens" series={tokens} empty="No tokens in this range" {...shared} />
      </Panel>
    </div>
  );
}

/** How requests ended, each outcome with the way to its figures. */
function Outcomes({ id, rows }: { readonly id: number; readonly rows: readonly UsageRow[] }): JSX.Element {
  const { slug: account } = useAccount();
  const link = (more: object): Record<string, string> => searchFor(USAGE_SEARCH, { key: [String(id)], by: 'status', ...more });
  const counts = byStatus(rows);
  const whole = counts.reduce((sum, { requests }) => sum + requests, 0);
  const bars = counts.map(({ status, requests }) => ({
    label: statusWords(status),
    value: requests,
    name: (
      <Link to="/$account/usage" params={{ account }} search={link({ status: [status] })} className="hover:underline">
        {statusWords(status)}
      </Link>
    ),
  }));
  const isBad = (_bar: unknown, place: number): boolean => ['refused', 'failed'].includes(outcomeOf(counts[place]?.status ?? ''));
  const bad = bars.filter(isBad);
  return (
    <Panel
      title="Outcomes"
      actions={
        <Link to="/$account/usage" params={{ account }} search={link({})} className="text-sm text-accent hover:underline">
          Open in Usage
        </Link>
      }
    >
      {bars.length === 0 && <p className="text-sm text-muted">No requests in this range.</p>}
      <BarList label="Requests by outcome" bars={bars.filter((bar, place) => !isBad(bar, place))} whole={whole} format={formatCount} />
      {bad.length > 0 && (
        <>
          <h3 className="text-sm font-medium">Refused and failed, by code</h3>
          <BarList label="Refused and failed requests by code" bars={bad} whole={whole} format={formatCount} colour="bad" />
        </>
      )}
    </Panel>
  );
}

function Deployments({ span }: { readonly span: Span }): JSX.Element {
  const { slug: account } = useAccount();
  const nameOf = useDeploymentNames();
  const query = useCall('usage/query', { ...span, step: 'total', group_by: ['deployment'] }, { every, keep: true });
  return (
    <Panel title="Requests by deployment">
      <Loaded query={query} what="Requests by deployment" shape="text">
        {({ rows }) => {
          const bars = rows
            .toSorted((a, b) => b.requests - a.requests)
            .map(({ deployment, requests }) => ({
              label: deployment === undefined ? 'No such deployment' : `${nameOf(deployment)} (deployment-${deployment})`,
              value: requests,
              ...(deployment !== undefined && {
                name: (
                  <Link to="/$account/deployments/$slug" params={{ account, slug: `deployment-${deployment}` }} className="hover:underline">
                    {nameOf(deployment)}
                  </Link>
                ),
              }),
            }));
          return bars.length === 0 ? (
            <p className="text-sm text-muted">No requests in this range.</p>
          ) : (
            <BarList label="Requests by deployment" bars={bars} format={formatCount} />
          );
        }}
      </Loaded>
    </Panel>
  );
}
