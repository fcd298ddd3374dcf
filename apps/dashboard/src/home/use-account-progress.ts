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
  const mcp = useCall('mcp-key/find', {}, { every });
  const playground = new Set(keys.data?.playground ?? []);
  const isKnown = usage.data !== undefined && keys.data !== undefined;
  const requests = usage.data?.rows.filter(({ key }) => key !== undefined && !playground.has(key)) ?? [];
  const hasInvitations = !isOwner || invitations.data !== undefined;
  return {
    deployments: deployments.data?.deployments ?? null,
    keys: keys.data?.keys ?? null,
    requests: isKnown ? requests.reduce((sum, row) => sum + row.requests, 0) : null,
    people: members.data && hasInvitations ? members.data.members.length + (invitations.data?.invitations.length ?? 0) : null,
    agentSeen: mcp.data === undefined ? null : mcp.data.key?.last_used_at != null,
  };
}
