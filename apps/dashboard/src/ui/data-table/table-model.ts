import {
  type ColumnDef,
  columnFacetingFeature,
  columnFilteringFeature,
  createFacetedRowModel,
  createFacetedUniqueValues,
  createFilteredRowModel,
  createSortedRowModel,
  type FilterFn,
  type ReactTable,
  type RowSelectionState,
  rowSelectionFeature,
  rowSortingFeature,
  type SortFn,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import type { TableState } from '../../url-state/table-search.js';
import type { Column, DataTableProps, Facet } from './types.js';

const features = tableFeatures({
  columnFilteringFeature,
  filteredRowModel: createFilteredRowModel(),
  columnFacetingFeature,
  facetedRowModel: createFacetedRowModel(),
  facetedUniqueValues: createFacetedUniqueValues(),
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  rowSelectionFeature,
});
type Features = typeof features;

/** Rows of a table after search, filters and sorting, and which of them are selected. */
export type TableModel<T extends object> = ReactTable<Features, T>;

/** Columns of the model that are not drawn: the text that is searched, and the values of each facet. */
const TEXT = 'text:';
const facetColumn = (id: string): string => `facet:${id}`;

/** The words of a search; a row must have them all. */
export const wordsOf = (q: string): readonly string[] =>
  q
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Numbers by size, texts as people sort them: `key 9` before `key 10`. */
export const compareValues = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));

/** All that a row is searched by, in small letters. Figures are not: a search for `47` means a name. */
export const searchTextOf = <T>(columns: readonly Column<T>[], row: T): string =>
  columns
    .map(({ value, numeric = false }) => (numeric ? '' : (value?.(row) ?? '')))
    .join('\n')
    .toLocaleLowerCase();

/** What is chosen of a facet, and what it hides while nothing is. */
interface FacetChoice {
  readonly chosen: readonly string[];
  readonly hidden: readonly string[];
}

/** Whether a row with these values is shown. */
export const fitsChoice = (values: readonly string[], { chosen, hidden }: FacetChoice): boolean =>
  chosen.length > 0 ? values.some((value) => chosen.includes(value)) : !values.some((value) => hidden.includes(value));

function definitions<T extends object>(columns: readonly Column<T>[], facets: readonly Facet<T>[]): ColumnDef<Features, T, unknown>[] {
  const hasWords: FilterFn<Features, T> = (row, id, words: readonly string[]) =>
    words.every((word) => row.getValue<string>(id).includes(word));
  const fits: FilterFn<Features, T> = (row, id, choice: FacetChoice) => fitsChoice(row.getValue(id), choice);
  const byValue: SortFn<Features, T> = (a, b, id) => compareValues(a.getValue(id), b.getValue(id));
  return [
    { id: TEXT, accessorFn: (row) => searchTextOf(columns, row), filterFn: hasWords },
    ...facets.map(({ id, of }) => ({
      id: facetColumn(id),
      accessorFn: (row: T): unknown => of(row),
      getUniqueValues: (row: T) => of(row),
      filterFn: fits,
    })),
    ...columns.map(({ id, value }) => ({
      id,
      accessorFn: (row: T): unknown => value?.(row) ?? undefined,
      sortFn: byValue,
      sortUndefined: 'last' as const,
    })),
  ];
}

function filtersOf(
  { q, facets }: Pick<TableState, 'q' | 'facets'>,
  known: readonly { readonly id: string; readonly hidden?: readonly string[] }[],
): { id: string; value: unknown }[] {
  const words = wordsOf(q);
  const choices = known
    .map(({ id, hidden = [] }) => ({ id: facetColumn(id), value: { chosen: facets[id] ?? [], hidden } }))
    .filter(({ value }) => value.chosen.length + value.hidden.length > 0);
  return [...(words.length > 0 ? [{ id: TEXT, value: words }] : []), ...choices];
}

const NO_ROWS: readonly never[] = [];
const NO_FACETS: readonly never[] = [];

/** The rows of a table as its state wants them. */
export function useTableModel<T extends object>({
  rows = NO_ROWS,
  columns,
  facets = NO_FACETS,
  keyOf,
  state: [state],
  isServerSide = false,
  bulkActions = [],
}: DataTableProps<T>): TableModel<T> {
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({});
  const defined = useMemo(() => definitions(columns, facets), [columns, facets]);
  const columnFilters = useMemo(() => filtersOf(state, facets), [state, facets]);
  const { sort, dir } = state;
  const sorting = useMemo(
    () => (columns.some(({ id, value }) => id === sort && value) && sort !== null ? [{ id: sort, desc: dir === 'desc' }] : []),
    [columns, sort, dir],
  );
  return useTable<Features, T>({
    features,
    columns: defined,
    data: rows,
    getRowId: (row) => String(keyOf(row)),
    state: { columnFilters, sorting, rowSelection },
    onRowSelectionChange: setRowSelection,
    manualFiltering: isServerSide,
    manualSorting: isServerSide,
    enableRowSelection: bulkActions.length > 0,
  });
}

/** How many of the rows that the other filters leave have each value, the most frequent first. */
export function countsOf<T extends object>(
  model: TableModel<T>,
  facet: Facet<T>,
  chosen: readonly string[],
): readonly (readonly [string, number])[] {
  const counts = (model.getColumn(facetColumn(facet.id))?.getFacetedUniqueValues() ?? new Map()) as ReadonlyMap<string, number>;
  const others = [...(facet.values ?? []), ...chosen].filter((value) => !counts.has(value));
  return [...counts, ...[...new Set(others)].map((value) => [value, 0] as const)].toSorted(
    (a, b) => b[1] - a[1] || collator.compare(a[0], b[0]),
  );
}
