import type { DatasetUse } from '@slipway/contracts';
import { type JSX, useMemo } from 'react';
import { USES_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { JOB_STATES } from '../tuning/job-words.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Dash } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import type { ShownVersion } from './shown-version.js';

const WORDS: Readonly<Record<string, string>> = { job: 'Job', adapter: 'Adapter' };

/** Jobs and adapters that any version of the data set went into. */
export function UsedByTab({ details }: ShownVersion): JSX.Element {
  const { slug: account } = useAccount();
  const state = useUrlState(USES_SEARCH);
  const hrefOf = useMemo(
    () =>
      ({ kind, id }: DatasetUse): string =>
        kind === 'adapter' ? `/${account}/fine-tuning/adapters/${id}` : `/${account}/fine-tuning/${id}`,
    [account],
  );
  return (
    <DataTable
      label="Uses"
      rows={details.used_by}
      {...{ state }}
      columns={COLUMNS}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      nameOf={({ name }) => name}
      rowHref={hrefOf}
      empty={
        <EmptyState title="Not used yet" icon="train">
          Fine-tune a model on this data set, and the job stands here.
        </EmptyState>
      }
    />
  );
}

const stateOf = (state: string): { text: string; look: 'good' | 'warn' | 'bad' | 'plain' | 'busy' } =>
  Object.hasOwn(JOB_STATES, state) ? JOB_STATES[state as keyof typeof JOB_STATES] : { text: state, look: 'plain' };

const COLUMNS: readonly Column<DatasetUse>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => name, value: ({ name }) => name, width: 220, pin: 'left' },
  { id: 'kind', title: 'Kind', cell: ({ kind }) => WORDS[kind] ?? kind, value: ({ kind }) => kind, width: 110 },
  {
    id: 'state',
    title: 'State',
    cell: ({ state }) => (state === null ? <Dash /> : <Status {...stateOf(state)} />),
    value: ({ state }) => state,
    width: 140,
    card: 'status',
  },
  { id: 'version', title: 'Version', cell: ({ version }) => `v${version}`, value: ({ version }) => version, numeric: true, card: 'figure' },
];
