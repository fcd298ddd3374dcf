import type { UsageRow } from '@slipway/contracts';
import { Link } from '@tanstack/react-router';
import { type JSX, useMemo } from 'react';
import { useEveryDeployment } from '../api/lists.js';
import { formatMs, plural } from '../format/number.js';
import { useAccount } from '../session/use-session.js';
import { Panel } from '../ui/page.js';
import { useNow } from '../ui/use-now.js';
import { lastRange } from '../usage/usage-range.js';
import { formatShare } from '../usage/usage-stats.js';
import { useUsage } from '../usage/use-usage.js';

/** A deployment that stands out, with the figure by which it does. */
interface Standout {
  readonly deployment: number;
  readonly value: number;
  readonly requests: number;
}

/** How many are named. */
const NAMED_MAX = 5;

const rank = (rows: readonly UsageRow[], of: (row: UsageRow) => number | undefined): readonly Standout[] =>
  rows
    .flatMap((row) => {
      const value = of(row);
      return row.deployment === undefined || value === undefined || value === 0
        ? []
        : [{ deployment: row.deployment, value, requests: row.requests }];
    })
    .toSorted((a, b) => b.value - a.value)
    .slice(0, NAMED_MAX);

/** Deployments with errors, the largest share of requests first. @param rows one for each deployment */
export const mostFailing = (rows: readonly UsageRow[]): readonly Standout[] =>
  rank(rows, ({ requests, errors }) => (requests === 0 ? undefined : errors / requests));

/** Deployments by the time to the first token that 95 % of their answers stay below, the slowest first, in milliseconds. */
export const slowest = (rows: readonly UsageRow[]): readonly Standout[] => rank(rows, ({ latency }) => latency?.ttft_ms?.p95);

/** Which deployments fail most and answer slowest; nothing where there were no requests. */
export function Standouts(): JSX.Element | null {
  const { from, to } = lastRange('24h', useNow());
  const { data } = useUsage({ from, to, step: 'total', group_by: ['deployment'], latency: true });
  const [failing, slow] = useMemo(() => [mostFailing(data?.rows ?? []), slowest(data?.rows ?? [])], [data]);
  if (failing.length === 0 && slow.length === 0) return null;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      {failing.length > 0 && <Ranking title="Most errors" about="Share of requests, last 24 hours" found={failing} format={formatShare} />}
      {slow.length > 0 && <Ranking title="Slowest" about="Time to first token p95, last 24 hours" found={slow} format={formatMs} />}
    </div>
  );
}

interface RankingProps {
  readonly title: string;
  readonly about: string;
  readonly found: readonly Standout[];
  readonly format: (value: number) => string;
}

function Ranking({ title, about, found, format }: RankingProps): JSX.Element {
  const { slug: account } = useAccount();
  const { data: deployments } = useEveryDeployment();
  const names = useMemo(() => new Map<number, string>(deployments?.map(({ id, name }) => [id, name])), [deployments]);
  return (
    <Panel title={title} about={about}>
      <ol className="grid">
        {found.map(({ deployment, value, requests }) => {
          const slug = `deployment-${deployment}`;
          return (
            <li key={deployment} className="flex items-baseline gap-3 border-line py-2 not-last:border-b">
              <Link
                to="/$account/deployments/$slug"
                params={{ account, slug }}
                search={{ tab: 'metrics' }}
                className="min-w-0 flex-1 truncate font-medium hover:underline"
                title={names.get(deployment) ?? slug}
              >
                {names.get(deployment) ?? slug}
              </Link>
              <span className="text-xs text-muted">{plural(requests, 'request')}</span>
              <span className="w-16 text-right tabular-nums">{format(value)}</span>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
