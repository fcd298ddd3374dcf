import type { UsageGroup, UsageRow } from '@slipway/contracts';
import { useCall } from '../api/use-call.js';
import { useKeyNames } from './use-key-names.js';

export const GROUPS: readonly { readonly value: UsageGroup; readonly label: string }[] = [
  { value: 'deployment', label: 'Deployment' },
  { value: 'key', label: 'Key' },
  { value: 'api', label: 'Contract' },
  { value: 'alias', label: 'Alias' },
  { value: 'status', label: 'Outcome' },
];

export const groupOf = (text: string): UsageGroup | null => GROUPS.find(({ value }) => value === text)?.value ?? null;

/** Public contracts as people call them; one that this page does not know is shown by its word. */
const CONTRACTS: Readonly<Record<string, string>> = { chat: 'Chat completions', messages: 'Messages' };

const outcomeOf = (status: string): string => {
  const words = status.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Names the part that a row of a split belongs to, unlike all others: two keys may have the same name. */
export function useGroupNames(): (row: Partial<UsageRow>) => string {
  const nameOfKey = useKeyNames();
  const deployments = useCall('deployments/list', {});
  return ({ key, deployment, alias, api, status }) => {
    if (key !== undefined) return nameOfKey(key);
    if (deployment !== undefined) {
      const found = deployments.data?.deployments.find(({ id }) => id === deployment);
      return found ? `${found.name} (deployment-${deployment})` : `deployment-${deployment}`;
    }
    if (alias !== undefined) return alias === '' ? 'Called by slug' : alias;
    return api === undefined ? outcomeOf(status ?? '') : (CONTRACTS[api] ?? api);
  };
}
