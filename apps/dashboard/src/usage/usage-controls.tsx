import type { JSX } from 'react';
import { type Filter, FilterBar } from '../ui/lazy-filter-bar.js';
import type { SetUrlState } from '../url-state/use-url-state.js';
import { CONTRACTS, OUTCOMES, outcomeOf } from './group-names.js';
import { chosenFilters, type UsageState } from './usage-filters.js';
import type { Known } from './use-names.js';

const textOf = ({ id }: { readonly id: number }): string => String(id);

/** What usage can be filtered by, by name. */
function filtersBy({ keys, deployments, allKeys, allDeployments, aliases, members }: Known): readonly Filter[] {
  return [
    {
      ...{ id: 'deployment', title: 'Deployment', values: allDeployments.map(textOf) },
      words: (id) => deployments.get(Number(id)) ?? `deployment-${id}`,
    },
    { id: 'key', title: 'Key', values: allKeys.map(textOf), words: (id) => keys.get(Number(id)) ?? `Key ${id}` },
    { id: 'member', title: 'Member, by the keys they created', values: members.map(({ email }) => email) },
    { id: 'alias', title: 'Alias', values: aliases },
    { id: 'api', title: 'Contract', values: Object.keys(CONTRACTS), words: (api) => CONTRACTS[api] ?? api },
    { id: 'status', title: 'Outcome', values: OUTCOMES, words: outcomeOf },
  ];
}

export interface UsageFilterBarProps {
  readonly known: Known;
  readonly state: UsageState;
  readonly set: SetUrlState<UsageState>;
}

/** What the figures are restricted to. */
export function UsageFilterBar({ known, state, set }: UsageFilterBarProps): JSX.Element {
  const { deployment, key, alias, api, status, member } = state;
  return (
    <FilterBar
      label="Filter usage"
      example="status:completed"
      filters={filtersBy(known)}
      chosen={{ deployment, key, alias, api, status, member }}
      onChange={(chosen) => set(chosenFilters(chosen), { push: true })}
    />
  );
}
