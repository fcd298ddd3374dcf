import type { ConsoleReply, UsageRow } from '@slipway/contracts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCall } from '../api/use-call.js';
import { useAccount } from '../session/use-session.js';
import { useNow } from '../ui/use-now.js';
import type { AccountProgress } from './checklist.js';

const DAY_MS = 86_400_000;
/** How often the first request is looked for, in milliseconds. */
const WATCH_MS = 2_000;

/** What the checklist needs to know, kept fresh. @param watching looks for the first request every 2 s */
export function useAccountProgress(watching: boolean): AccountProgress {
  const isOwner = useAccount().role === 'owner';
  const today = Math.floor(useNow() / DAY_MS) * DAY_MS;
  const every = () => (watching ? WATCH_MS : 30_000);
  const deployments = useCall('deployments/list', {}, { every });
  const keys = useCall('keys/list', {}, { every });
  const range = { from: new Date(today - 30 * DAY_MS).toISOString(), to: new Date(today + DAY_MS).toISOString() };
  const usage = useCall('usage/query', { ...range, step: 'total', group_by: ['key'] }, { every, keep: true });
  const members = useCall('members/list', {});
  const invitations = useCall('invitations/list', {}, { enabled: isOwner });
  const adapters = useCall('adapters/list', {}, { every });
  const mcp = useCall('mcp-key/find', {}, { every });
  return {
    deployments: deployments.data?.deployments ?? null,
    keys: keys.data?.keys ?? null,
    requests: requestsOf(usage.data?.rows, keys.data),
    people: peopleOf(members.data?.members, isOwner ? invitations.data?.invitations : []),
    agentSeen: mcp.data ? wasUsed(mcp.data.key) : null,
    hasAdapter: hasAny(adapters),
  };
}

/** Undefined where nothing answers: this installation trains no models. */
function hasAny({ data, isError }: Pick<UseQueryResult<ConsoleReply<'adapters/list'>>, 'data' | 'isError'>): boolean | null | undefined {
  if (data) return data.adapters.length > 0;
  return isError ? undefined : null;
}

/** Requests of the account's own keys; those of the playground are no client's. */
function requestsOf(rows: readonly UsageRow[] | undefined, keys: ConsoleReply<'keys/list'> | undefined): number | null {
  if (rows === undefined || keys === undefined) return null;
  const playground: readonly number[] = keys.playground ?? [];
  const own = rows.filter(({ key }) => key !== undefined && !playground.includes(key));
  return own.reduce((sum, row) => sum + row.requests, 0);
}

/** Members and those who are invited. */
const peopleOf = (members: readonly unknown[] | undefined, invited: readonly unknown[] | undefined): number | null =>
  members && invited ? members.length + invited.length : null;

const wasUsed = (key: ConsoleReply<'mcp-key/find'>['key']): boolean => key?.last_used_at != null;
