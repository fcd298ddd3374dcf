import { type JSX, useState } from 'react';
import { announce } from '../ui/announcements.js';
import { DataTable } from '../ui/data-table/data-table.js';
import { tableSearch } from '../url-state/table-search.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { Example } from './example.js';
import type { Part } from './part.js';
import { actionsOf, COLUMNS, hrefOf, keyOf, nameOf, samples } from './sample-rows.js';

const PART_LENGTH = 20;
const MANY = samples(60);
const LONGEST = samples(4, true);
const longSearch = tableSearch({ prefix: 'long-' });

function Longest(): JSX.Element {
  const state = useUrlState(longSearch);
  return (
    <DataTable
      label="Longest names"
      rows={LONGEST}
      columns={COLUMNS}
      {...{ keyOf, nameOf, state }}
      rowHref={hrefOf}
      rowActions={actionsOf}
      empty={null}
    />
  );
}

const partSearch = tableSearch({ prefix: 'part-' });

function InParts(): JSX.Element {
  const state = useUrlState(partSearch);
  const [count, setCount] = useState(PART_LENGTH);
  const onMore = (): void => setCount(count + PART_LENGTH);
  return (
    <DataTable
      label="Audit log"
      rows={MANY.slice(0, count)}
      columns={COLUMNS}
      {...{ keyOf, nameOf, state }}
      onOpen={({ name }) => announce(`Opened ${name}`)}
      more={{ has: count < 3 * PART_LENGTH, isLoading: false, onMore }}
      empty={null}
    />
  );
}

function Examples(): JSX.Element {
  return (
    <>
      <Example title="The longest names">
        <div className="w-full">
          <Longest />
        </div>
      </Example>
      <Example title="Loaded in parts">
        <div className="w-full">
          <InParts />
        </div>
      </Example>
    </>
  );
}

export default { title: 'Data table: kinds', Examples } satisfies Part;
