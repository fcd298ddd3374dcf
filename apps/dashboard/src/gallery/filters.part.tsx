import type { JSX } from 'react';
import { FilterBar, type Filter } from '../ui/filter-bar.js';
import { RangePicker } from '../ui/range-picker.js';
import { listOf, textOf } from '../url-state/codec.js';
import { rangeSearch } from '../url-state/range-search.js';
import { fieldsOf } from '../url-state/search-codec.js';
import { useUrlState } from '../url-state/use-url-state.js';
import { Example } from './example.js';
import type { Part } from './part.js';

const FILTERS: readonly Filter[] = [
  { id: 'status', title: 'Status', values: ['completed', 'failed', 'cancelled'] },
  { id: 'key', title: 'API key', values: ['7', '8', '9'], words: (value) => `Website ${value}` },
  { id: 'request', title: 'Request', values: [], isFree: true },
];
const values = listOf(textOf());
const filterSearch = fieldsOf<Record<'status' | 'key' | 'request', readonly string[]>>({ status: values, key: values, request: values });
const range = rangeSearch('24h');

function Filters(): JSX.Element {
  const [chosen, set] = useUrlState(filterSearch);
  return <FilterBar label="Filter requests" filters={FILTERS} chosen={chosen} onChange={set} />;
}

function Examples(): JSX.Element {
  const state = useUrlState(range);
  return (
    <>
      <Example title="Filter bar">
        <Filters />
      </Example>
      <Example title="Range picker">
        <RangePicker state={state} canCompare canBeLive />
      </Example>
    </>
  );
}

export default { title: 'Filters and ranges', Examples } satisfies Part;
