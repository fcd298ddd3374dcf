import { type JSX, useEffect, useRef } from 'react';
import type { TableState } from '../../url-state/table-search.js';
import type { SetUrlState } from '../../url-state/use-url-state.js';
import { Icon } from '../icon.js';
import { HEAD_PX } from './layout.js';
import type { Column } from './types.js';

export interface HeadProps<T> {
  readonly columns: readonly Column<T>[];
  readonly template: string;
  readonly state: TableState;
  readonly set: SetUrlState<TableState>;
  /** How much of the page is selected; absent: rows cannot be selected. */
  readonly selection?: { readonly all: boolean; readonly some: boolean; readonly onChange: (on: boolean) => void };
  readonly hasActions: boolean;
  /** Only a part of the rows is here: headings sort nothing. */
  readonly isFixed: boolean;
}

/** The line that names the columns and sorts by them. It stays while the rows scroll. */
export function Head<T>({ columns, template, state, set, selection, hasActions, isFixed }: HeadProps<T>): JSX.Element {
  return (
    <thead role="rowgroup" className="sticky top-0 z-20 block">
      <tr
        role="row"
        aria-rowindex={1}
        className="grid border-b border-line bg-surface text-xs text-muted"
        style={{ gridTemplateColumns: template, height: HEAD_PX }}
      >
        {selection && <SelectPage {...selection} />}
        {columns.map((column, index) => (
          <Heading
            key={column.id}
            {...{ column, state, set, isFixed }}
            isPinned={column.pin !== undefined}
            left={index === 0 && selection ? 40 : 0}
          />
        ))}
        {hasActions && (
          <th role="columnheader" scope="col" className="sticky right-0 bg-inherit">
            <span className="sr-only">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

function SelectPage({ all, some, onChange }: NonNullable<HeadProps<unknown>['selection']>): JSX.Element {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = some && !all;
  }, [all, some]);
  return (
    <th role="columnheader" scope="col" className="sticky left-0 z-10 bg-inherit">
      <label className="flex size-full items-center justify-center">
        <input
          ref={box}
          type="checkbox"
          aria-label="Select the rows of this page"
          checked={all}
          onChange={({ target }) => onChange(target.checked)}
          className="size-4 accent-accent"
        />
      </label>
    </th>
  );
}

interface HeadingProps<T> extends Pick<HeadProps<T>, 'state' | 'set' | 'isFixed'> {
  readonly column: Column<T>;
  readonly isPinned: boolean;
  readonly left: number;
}

function Heading<T>({ column, state, set, isFixed, isPinned, left }: HeadingProps<T>): JSX.Element {
  const { id, title, numeric = false, value } = column;
  const order = state.dir === 'asc' ? ('ascending' as const) : ('descending' as const);
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={state.sort === id ? order : undefined}
      className={`flex min-w-0 items-center px-3 font-medium ${numeric ? 'justify-end' : ''} ${isPinned ? 'sticky z-10 bg-inherit' : ''}`}
      style={isPinned ? { left } : undefined}
    >
      {value && !isFixed ? <SortButton {...{ column, state, set }} /> : <span className="truncate">{title}</span>}
    </th>
  );
}

function SortButton<T>({
  column: { id, title, numeric = false },
  state,
  set,
}: Pick<HeadingProps<T>, 'column' | 'state' | 'set'>): JSX.Element {
  const isSorted = state.sort === id;
  const other = state.dir === 'asc' ? 'desc' : 'asc';
  const first = numeric ? 'desc' : 'asc';
  const look = isSorted ? 'text-ink' : 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60';
  return (
    <button
      type="button"
      onClick={() => set({ sort: id, dir: isSorted ? other : first, page: 1 })}
      className="group -mx-1 flex h-full min-w-0 items-center gap-1 rounded-sm px-1 hover:text-ink"
    >
      <span className={`truncate ${isSorted ? 'text-ink' : ''}`}>{title}</span>
      <Icon
        name={isSorted && state.dir === 'desc' ? 'sort-down' : 'sort-up'}
        className={`size-3.5 ${look} ${numeric ? 'order-first' : ''}`}
      />
    </button>
  );
}
