import type { JSX, RefObject } from 'react';
import { formatCount } from '../../format/number.js';
import type { TableState } from '../../url-state/table-search.js';
import { FacetButton } from './facet-button.js';
import { type Chip, FilterChips } from './filter-chips.js';
import { SearchBox } from './search-box.js';
import { countsOf, type TableModel } from './table-model.js';
import type { DataTableProps, Facet } from './types.js';
import { ViewMenu } from './view-menu.js';

export interface ToolbarProps<T extends object> {
  readonly table: DataTableProps<T>;
  readonly model: TableModel<T>;
  readonly matching: number;
  readonly isNarrow: boolean;
  readonly search: RefObject<HTMLInputElement | null>;
  readonly onEnter: (text: string) => void;
  readonly onClear: () => void;
}

const asIs = (value: string): string => value;

function chipsOf<T>(
  facets: readonly Facet<T>[],
  chosen: TableState['facets'],
  change: (id: string, values: readonly string[]) => void,
): Chip[] {
  return facets.flatMap(({ id, title, words = asIs }) =>
    (chosen[id] ?? []).map((value) => ({
      id: `${id}:${value}`,
      title,
      value: words(value),
      onRemove: () => change(id, chosen[id]?.filter((one) => one !== value) ?? []),
    })),
  );
}

/** Search, filters and view of a table, and below them the filters in force. */
export function Toolbar<T extends object>({ table, model, matching, isNarrow, search, onEnter, onClear }: ToolbarProps<T>): JSX.Element {
  const {
    label,
    columns,
    rows = [],
    facets = [],
    actions,
    state: [state, set],
  } = table;
  const change = (id: string, values: readonly string[]): void => set({ facets: { ...state.facets, [id]: values }, page: 1 });
  const chips = chipsOf(facets, state.facets, change);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox label={`Search ${label}`} value={state.q} onChange={(q) => set({ q, page: 1 })} {...{ onEnter }} input={search} />
        {facets.map((facet) => (
          <FacetButton
            key={facet.id}
            title={facet.title}
            chosen={state.facets[facet.id] ?? []}
            counts={() => countsOf(model, facet, state.facets[facet.id] ?? [])}
            words={facet.words ?? asIs}
            onChange={(values) => change(facet.id, values)}
          />
        ))}
        <span role="status" className="mr-auto text-sm text-muted tabular-nums">
          {matching === rows.length ? '' : `${formatCount(matching)} of ${formatCount(rows.length)}`}
        </span>
        <ViewMenu {...{ columns, state, set, isNarrow }} />
        {actions}
      </div>
      {chips.length > 0 && <FilterChips chips={chips} onClear={onClear} />}
    </>
  );
}
