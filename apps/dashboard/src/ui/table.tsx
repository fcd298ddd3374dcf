import type { JSX, ReactNode } from 'react';

export interface Column<T> {
  /** Heading; empty for a column of buttons. */
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  readonly numeric?: boolean;
}

export interface TableProps<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
}

/** A table; on narrow screens each row becomes a card. The roles keep it a table for screen readers there too. */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>): JSX.Element {
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="cards" role="table">
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, numeric = false }) => (
              <th key={title} role="columnheader" scope="col" className={numeric ? 'text-right' : ''}>
                {title || <span className="sr-only">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ title, cell, numeric = false }) => (
                <td key={title} role="cell" data-label={title || undefined} className={numeric ? 'md:text-right tabular-nums' : ''}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A text of a cell on one line, all of it on hover: a long name makes no other column narrow and no row high. */
export function Truncated({ text, strong = false }: { readonly text: string; readonly strong?: boolean }): JSX.Element {
  return (
    <span title={text} className={`block truncate md:max-w-64 md:min-w-24 ${strong ? 'font-medium' : ''}`}>
      {text}
    </span>
  );
}
