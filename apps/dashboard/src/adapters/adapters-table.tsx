import type { AdapterView } from '@slipway/contracts';
import type { JSX } from 'react';
import { plural } from '../format/number.js';
import { ADAPTERS_SEARCH } from '../searches.js';
import { useAccount } from '../session/use-session.js';
import { useAdapters } from '../tuning/use-jobs.js';
import { momentColumn } from '../ui/data-table/columns.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { Truncated } from '../ui/data-table/truncated.js';
import type { Column, Facet } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { Dash, Quantity } from '../ui/quantity.js';
import { Status } from '../ui/status.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { RecentImports } from './recent-imports.js';
import { adapterName, verdictWords } from './adapter-words.js';

const FACETS: readonly Facet<AdapterView>[] = [
  { id: 'verdict', title: 'Verdict', of: ({ verdict }) => [verdictWords(verdict).text] },
  { id: 'base', title: 'Base', of: ({ base }) => [base] },
  { id: 'dataset', title: 'Data set', of: ({ dataset_name: name }) => (name === null ? [] : [name]) },
];

const sourceText = ({ dataset_name: name, dataset_version: version }: AdapterView): string =>
  name === null ? '' : `${name}${version === null ? '' : ` v${version}`}`;

/** The adapters of the account. */
export function AdaptersTable(): JSX.Element {
  const { slug: account } = useAccount();
  const state = useUrlState(ADAPTERS_SEARCH);
  const query = useAdapters();
  return (
    <>
      <RecentImports />
      <DataTable
        label="Adapters"
        rows={query.data}
        {...{ query, state }}
        columns={COLUMNS}
        facets={FACETS}
        keyOf={({ id }) => id}
        nameOf={adapterName}
        rowHref={({ id }) => `/${account}/fine-tuning/adapters/${id}`}
        empty={
          <EmptyState title="No adapters yet" icon="layers">
            Each job that ends well makes one. Adapters that were made elsewhere can be imported.
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<AdapterView>[] = [
  { id: 'name', title: 'Name', cell: (one) => <Truncated text={adapterName(one)} />, value: adapterName, width: 190, pin: 'left' },
  {
    id: 'verdict',
    title: 'Verdict',
    cell: ({ verdict }) => <Status {...verdictWords(verdict)} />,
    value: ({ verdict }) => verdictWords(verdict).text,
    width: 120,
    card: 'status',
  },
  { id: 'base', title: 'Base', cell: ({ base }) => <Truncated text={base} cut="middle" />, value: ({ base }) => base, width: 150 },
  { id: 'dataset', title: 'Data set', cell: (one) => <Truncated text={sourceText(one)} />, value: sourceText, width: 150 },
  { id: 'rank', title: 'Rank', cell: ({ rank }) => rank, value: ({ rank }) => rank, numeric: true, hidden: true },
  {
    id: 'size',
    title: 'Size',
    cell: ({ bytes }) => <Quantity kind="bytes" value={bytes} />,
    value: ({ bytes }) => bytes,
    numeric: true,
    card: 'figure',
  },
  {
    id: 'deployments',
    title: 'Served by',
    cell: ({ deployments: { length } }) => (length === 0 ? <Dash /> : plural(length, 'deployment')),
    value: ({ deployments: { length } }) => length,
    numeric: true,
  },
  momentColumn('created', 'Created', ({ created_at }) => created_at),
];
