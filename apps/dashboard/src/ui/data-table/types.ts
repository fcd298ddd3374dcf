import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { TableState } from '../../url-state/table-search.js';
import type { UrlState } from '../../url-state/use-url-state.js';

/** A column. Columns are best made once or memoised: new ones sort and filter all rows again. */
export interface Column<T> {
  /** Stands in addresses: letters, digits, `-`, `_` and `.`. */
  readonly id: string;
  readonly title: string;
  /** What is drawn, on one line. That of the first column becomes a link or a button where rows open: no control of its own. */
  readonly cell: (row: T) => ReactNode;
  /** What the column is sorted by, and searched unless it is numeric; null comes last. Absent: neither. */
  readonly value?: (row: T) => string | number | null;
  /** Right-aligned with digits of one width; sorted from the largest first. */
  readonly numeric?: boolean;
  /** Not shown until somebody chooses it. */
  readonly hidden?: true;
  /** Least width in pixels, and its share of what is left. */
  readonly width?: number;
  /** Stays where it is while the others scroll sideways. For the first column. */
  readonly pin?: 'left';
  /** Its place on the card that stands for a row on phones. The first column is the title; columns without a place are left out. */
  readonly card?: 'status' | 'figure';
}

/** A filter by values that rows have, with how many rows have each. */
export interface Facet<T> {
  /** One of the `facets` of the table's search. */
  readonly id: string;
  readonly title: string;
  readonly of: (row: T) => readonly string[];
  /** A value as people read it. */
  readonly words?: (value: string) => string;
  /** Values offered though no row has them, such as those of a source that filters by itself. */
  readonly values?: readonly string[];
  /** Rows with these values are left out until somebody chooses one of the facet's values. */
  readonly hidden?: readonly string[];
}

export interface RowAction {
  readonly label: string;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

export interface BulkAction<T> {
  readonly label: string;
  /** @param clear ends the selection */
  readonly onSelect: (rows: readonly T[], clear: () => void) => void;
  readonly danger?: boolean;
  readonly disabled?: (rows: readonly T[]) => boolean;
}

/** A source that gives its rows part by part. All that are loaded stand on one page. */
export interface MoreRows {
  readonly has: boolean;
  readonly isLoading: boolean;
  readonly onMore: () => void;
}

/** What a table needs to know of the question that brings its rows. */
export type RowsQuery = Pick<UseQueryResult, 'isPending' | 'isError' | 'error' | 'isFetching' | 'dataUpdatedAt'> & {
  readonly refetch: () => unknown;
};

export interface DataTableProps<T> {
  /** Name of the table for screen readers, and of what it holds: "Deployment keys". */
  readonly label: string;
  /** Undefined while they are awaited. */
  readonly rows: readonly T[] | undefined;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string | number;
  /** Name of a row, for its menu and its checkbox. */
  readonly nameOf: (row: T) => string;
  readonly state: UrlState<TableState>;
  readonly facets?: readonly Facet<T>[];
  /** Path to which a row leads. */
  readonly rowHref?: (row: T) => string;
  /** What a row does where it leads to no page. */
  readonly onOpen?: (row: T) => void;
  readonly rowActions?: (row: T) => readonly RowAction[];
  readonly bulkActions?: readonly BulkAction<T>[];
  /** Stands in the table's place where there are no rows at all. */
  readonly empty: ReactNode;
  readonly query?: RowsQuery;
  readonly more?: MoreRows;
  /** The source searches, filters and sorts by the state; the table draws rows as they come. */
  readonly isServerSide?: boolean;
  /** Controls at the end of the bar above, such as those of a page without a heading of its own. */
  readonly actions?: ReactNode;
}
