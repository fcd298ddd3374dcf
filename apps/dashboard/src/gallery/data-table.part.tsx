import type { JSX } from 'react';
import { announce } from '../ui/announcements.js';
import { DataTable } from '../ui/data-table/data-table.js';
import type { BulkAction, Facet } from '../ui/data-table/types.js';
import { tableSearch } from '../url-state/table-search.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { Example } from './example.js';
import type { Part } from './part.js';
import { actionsOf, COLUMNS, hrefOf, keyOf, nameOf, type Sample, samples, WORDS } from './sample-rows.js';

const MANY = samples(500);
const FACETS: readonly Facet<Sample>[] = [
  { id: 'status', title: 'Status', of: ({ status }) => [status], words: (value) => WORDS[value as Sample['status']] ?? value },
  { id: 'owner', title: 'Owner', of: ({ owner }) => [owner] },
];
const BULK: readonly BulkAction<Sample>[] = [
  {
    label: 'Stop',
    onSelect: (rows, clear) => {
      announce(`Stopped ${rows.length}`);
      clear();
    },
  },
  { label: 'Delete', danger: true, onSelect: (rows) => announce(`Deleted ${rows.length}`) },
];
const manySearch = tableSearch({ facets: ['status', 'owner'] });

function Many(): JSX.Element {
  const state = useUrlState(manySearch);
  return (
    <DataTable
      label="Deployments"
      rows={MANY}
      columns={COLUMNS}
      {...{ keyOf, nameOf, state }}
      facets={FACETS}
      rowHref={hrefOf}
      rowActions={actionsOf}
      bulkActions={BULK}
      empty={null}
    />
  );
}

function Examples(): JSX.Element {
  return (
    <Example title="Five hundred rows">
      <div className="w-full">
        <Many />
      </div>
    </Example>
  );
}

export default { title: 'Data table', Examples } satisfies Part;
