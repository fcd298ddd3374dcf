import type { JSX } from 'react';
import { ConsoleError } from '../api/console-error.js';
import { announce } from '../ui/announcements.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { Column, DataTableProps, RowsQuery } from '../ui/data-table/types.js';
import { EmptyState } from '../ui/empty-state.js';
import { tableSearch } from '../url-state/table-search.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { Example } from './example.js';
import type { Part } from './part.js';

interface Item {
  readonly name: string;
  readonly size: number;
}

const COLUMNS: readonly Column<Item>[] = [
  { id: 'name', title: 'Name', value: ({ name }) => name, cell: ({ name }) => name },
  { id: 'size', title: 'Size', numeric: true, card: 'figure', value: ({ size }) => size, cell: ({ size }) => size },
];
const ROWS: readonly Item[] = [
  { name: 'First', size: 1 },
  { name: 'Second', size: 2 },
];
const nameOf = ({ name }: Item): string => name;
const FINE: RowsQuery = {
  isPending: false,
  isError: false,
  error: null,
  isFetching: false,
  dataUpdatedAt: 0,
  refetch: () => announce('Asked again'),
};
const FAILED: RowsQuery = { ...FINE, isError: true, error: new ConsoleError('unavailable', 'The database does not answer.') };

const searches = ['loading-', 'none-', 'failed-', 'stale-'].map((prefix) => tableSearch({ prefix }));

function State({
  title,
  place,
  ...rest
}: { readonly title: string; readonly place: number } & Pick<DataTableProps<Item>, 'rows' | 'query'>): JSX.Element {
  const state = useUrlState(searches[place] ?? tableSearch());
  return (
    <Example title={title}>
      <div className="w-full">
        <DataTable
          label={`${title} items`}
          columns={COLUMNS}
          keyOf={nameOf}
          {...{ nameOf, state }}
          empty={<EmptyState title="No items yet">Items appear here.</EmptyState>}
          {...rest}
        />
      </div>
    </Example>
  );
}

function Examples(): JSX.Element {
  return (
    <>
      <State title="Loading" place={0} rows={undefined} query={{ ...FINE, isPending: true }} />
      <State title="Nothing yet" place={1} rows={[]} query={FINE} />
      <State title="Failed" place={2} rows={undefined} query={FAILED} />
      <State title="Stale" place={3} rows={ROWS} query={FAILED} />
    </>
  );
}

export default { title: 'Data table: states', Examples } satisfies Part;
