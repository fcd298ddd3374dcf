import { useMemo } from 'react';
import { useEveryDeployment } from '../api/lists.js';
import type { Choice } from '../ui/select.js';

/** The deployments of the account as choices, by number. */
export function useDeploymentChoices(): readonly Choice[] {
  const { data } = useEveryDeployment();
  return useMemo(
    () =>
      (data ?? []).map(({ id, name, state, adapter }) => ({
        value: String(id),
        label: name,
        hint: [`deployment-${id}`, state, ...(adapter ? [`${adapter.name} v${adapter.version}`] : [])].join(' · '),
      })),
    [data],
  );
}
