import type { UsageRow } from '@slipway/contracts';
import type { JSX } from 'react';
import { useCall } from '../api/use-call.js';
import { plural } from '../format/number.js';
import { useNow } from '../ui/use-now.js';
import { lastRange } from '../usage/usage-range.js';

/** Who used these deployments: `42 requests in the last hour by 3 keys`. */
export function impactText(rows: readonly Pick<UsageRow, 'deployment' | 'key' | 'requests'>[], ids: readonly number[]): string {
  const mine = rows.filter(({ deployment, requests }) => deployment !== undefined && ids.includes(deployment) && requests > 0);
  const requests = mine.reduce((sum, row) => sum + row.requests, 0);
  if (requests === 0) return 'No requests in the last hour.';
  return `${plural(requests, 'request')} in the last hour by ${plural(new Set(mine.map(({ key }) => key)).size, 'key')}.`;
}

/** The same, asked for. */
export function DeploymentImpact({ ids }: { readonly ids: readonly number[] }): JSX.Element {
  const { from, to } = lastRange('1h', useNow());
  const { data, isError } = useCall('usage/query', { from, to, step: 'total', group_by: ['deployment', 'key'] }, { keep: true });
  if (data) return <span>{impactText(data.rows, ids)}</span>;
  return <span className="text-muted">{isError ? 'Its usage is not known right now.' : 'Looking up its usage…'}</span>;
}
