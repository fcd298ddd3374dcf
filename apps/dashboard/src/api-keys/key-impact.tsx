import type { KeyView } from '@slipway/contracts';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { formatCount, plural } from '../format/number.js';
import { Moment } from '../ui/moment.js';
import { useNow } from '../ui/use-now.js';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** How many requests some keys sent, and how many of the keys. */
export function impactOf(
  rows: readonly { readonly key?: number | undefined; readonly requests: number }[],
  keys: ReadonlySet<number>,
): { readonly requests: number; readonly keys: number } {
  const own = rows.filter(({ key, requests }) => key !== undefined && keys.has(key) && requests > 0);
  return { requests: own.reduce((sum, row) => sum + row.requests, 0), keys: own.length };
}

/** What would be missed: the requests of the last hour by these keys. */
export function KeyImpact({ keys }: { readonly keys: readonly KeyView[] }): JSX.Element {
  const to = Math.ceil(useNow() / MINUTE_MS) * MINUTE_MS;
  const range = { from: new Date(to - HOUR_MS).toISOString(), to: new Date(to).toISOString() };
  const { data, isError } = useCall('usage/query', { ...range, step: 'total', group_by: ['key'] }, { keep: true });
  const [only] = keys.length === 1 ? keys : [];
  const last = only && <LastUse subject={only} />;
  if (isError) return <>Requests of the last hour are not known right now. {last}</>;
  if (!data) return <span className="text-muted">Counting its requests…</span>;
  const { requests, keys: busy } = impactOf(data.rows, new Set(keys.map(({ id }) => id)));
  const by = only ? '' : ` by ${formatCount(busy)} of these ${formatCount(keys.length)} keys`;
  return (
    <>
      {requests === 0 ? 'No requests in the last hour.' : `${plural(requests, 'request')} in the last hour${by}.`} {last}
    </>
  );
}

function LastUse({ subject: { last_used_at: at } }: { readonly subject: KeyView }): JSX.Element | null {
  if (at === undefined) return null;
  if (at === null) return <>Never used.</>;
  return (
    <>
      Last used <Moment at={at} />.
    </>
  );
}
