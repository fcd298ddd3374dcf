import { useRouter } from '@tanstack/react-router';
import { type JSX, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { TableState } from '../../url-state/table-search.js';
import { NothingMatches } from '../empty-state.js';
import { useNarrow } from '../use-narrow.js';
import { Body, type BodyRow } from './body.js';
import { BulkBar } from './bulk-bar.js';
import { Head } from './head.js';
import { layoutOf, type PageBounds, pageOf, ROW_PX } from './layout.js';
import { LoadMore, Pages } from './pages.js';
import { QueryNotice, SkeletonRows } from './placeholders.js';
import { RowMenu, type RowMenuHandle } from './row-menu.js';
import type { RowLook } from './row.js';
import { type TableModel, useTableModel } from './table-model.js';
import { Toolbar } from './toolbar.js';
import type { DataTableProps } from './types.js';
import { useRowKeys } from './use-row-keys.js';
import { visibleColumns } from './view-menu.js';

/**
 * A list of the account: searched, filtered, sorted and paged by the address of its screen, with keys for all of it.
 * It draws the rows, their absence, and what hinders them.
 */
export function DataTable<T extends object>(props: DataTableProps<T>): JSX.Element {
  const {
    rows,
    query,
    empty,
    isServerSide = false,
    state: [state],
  } = props;
  const isFiltered = state.q !== '' || Object.values(state.facets).some(({ length }) => length > 0);
  const hasNone = rows?.length === 0 && !(isServerSide && isFiltered);
  const hasFailed = rows === undefined && query?.isError === true;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {query && <QueryNotice query={query} hasRows={rows !== undefined} />}
      {hasNone && empty}
      {!hasNone && !hasFailed && <List {...props} />}
    </div>
  );
}

function List<T extends object>(props: DataTableProps<T>): JSX.Element {
  const {
    rows,
    rowActions,
    state: [state, set],
  } = props;
  const isNarrow = useNarrow();
  const model = useTableModel(props);
  const matching = model.getRowModel().rows as readonly BodyRow<T>[];
  const bounds = boundsOf(state, matching.length, { isNarrow, isWhole: props.more !== undefined });
  const page = useMemo(() => matching.slice(bounds.start, bounds.end), [matching, bounds.start, bounds.end]);
  const menu = useRef<RowMenuHandle<T>>(null);
  const look = useLook(props, isNarrow, menu);
  const [root, search, scroller] = [useRef<HTMLDivElement>(null), useRef<HTMLInputElement>(null), useRef<HTMLDivElement>(null)];
  const [move, setMove] = useRowKeys({ root, search, rows: page.length });
  const onEnter = useEnter({ q: state.q, page, look, focusFirst: () => setMove(0) });
  const clear = (): void => set({ q: '', facets: {}, page: 1 });
  return (
    <div ref={root} data-table className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Toolbar table={props} {...{ model, isNarrow, search, onEnter }} matching={matching.length} onClear={clear} />
      {look.canSelect && <Selection {...{ props, model }} matching={matching.length} />}
      <div ref={scroller} className="overflow-auto rounded-lg border border-line bg-surface sm:max-h-[max(24rem,calc(100dvh-15rem))]">
        <Grid {...{ props, model, look, bounds, page, isNarrow, scroller, move }} rowCount={matching.length} />
        {rows === undefined && <SkeletonRows {...{ look, isNarrow }} />}
        {rows !== undefined && matching.length === 0 && <NothingMatches onClear={clear} />}
      </div>
      {rows !== undefined && <Foot {...{ props, bounds }} matching={matching.length} loaded={rows.length} />}
      {rowActions && <RowMenu ref={menu} actionsOf={rowActions} />}
    </div>
  );
}

interface OfModel<T extends object> {
  readonly props: DataTableProps<T>;
  readonly matching: number;
}

function Selection<T extends object>({ props, model, matching }: OfModel<T> & { readonly model: TableModel<T> }): JSX.Element | null {
  const selected = model.getFilteredSelectedRowModel().rows.map(({ original }) => original);
  if (selected.length === 0) return null;
  return (
    <BulkBar
      {...{ selected, matching }}
      actions={props.bulkActions ?? []}
      onSelectAll={() => model.toggleAllRowsSelected(true)}
      onClear={() => model.resetRowSelection(true)}
    />
  );
}

function Foot<T extends object>({
  props,
  bounds,
  matching,
  loaded,
}: OfModel<T> & { readonly bounds: PageBounds; readonly loaded: number }): JSX.Element {
  const {
    label,
    more,
    state: [{ size }, set],
  } = props;
  return more ? <LoadMore rows={loaded} more={more} /> : <Pages {...{ label, bounds, set, size }} rows={matching} />;
}

/** Phones have no rows that are drawn only where they are seen: their pages are never endless. */
function boundsOf(state: TableState, rows: number, { isNarrow, isWhole }: { isNarrow: boolean; isWhole: boolean }): PageBounds {
  if (isWhole) return pageOf(1, 'all', rows);
  return pageOf(state.page, isNarrow && state.size === 'all' ? '100' : state.size, rows);
}

function useLook<T extends object>(
  props: DataTableProps<T>,
  isNarrow: boolean,
  menu: React.RefObject<RowMenuHandle<T> | null>,
): RowLook<T> {
  const { columns, nameOf, rowHref, onOpen, rowActions, bulkActions } = props;
  const [{ cols, density }] = props.state;
  // By what it says: the state is a new one for every letter that is typed, and rows would be drawn again for it.
  const chosen = cols.join();
  const { history } = useRouter();
  const open = useCallback(
    (row: T, elsewhere: boolean) => {
      const href = rowHref?.(row);
      if (href === undefined) onOpen?.(row);
      else if (elsewhere) window.open(href, '_blank', 'noopener');
      else history.push(href);
    },
    [rowHref, onOpen, history],
  );
  const hasActions = rowActions !== undefined;
  const canSelect = bulkActions !== undefined && bulkActions.length > 0 && !isNarrow;
  return useMemo(() => {
    const shown = isNarrow ? columns : visibleColumns(columns, chosen.split(','));
    return {
      ...{ columns: shown, nameOf, open, canSelect },
      ...(rowHref && { rowHref }),
      ...(onOpen && { onOpen }),
      ...(hasActions && { openMenu: (row: T, button: HTMLElement) => menu.current?.open(row, button) }),
      template: layoutOf(shown, { select: canSelect, actions: hasActions }).template,
      height: ROW_PX[density],
    };
  }, [columns, chosen, density, isNarrow, nameOf, rowHref, onOpen, open, hasActions, canSelect, menu]);
}

interface EnterOptions<T> {
  readonly q: string;
  readonly page: readonly BodyRow<T>[];
  readonly look: RowLook<T>;
  readonly focusFirst: () => void;
}

/** Enter in the search opens the only row that matches; of several the first gets the focus. It waits for the rows of what was typed last. */
function useEnter<T>({ q, page, look, focusFirst }: EnterOptions<T>): (text: string) => void {
  const wanted = useRef<string | null>(null);
  const [, drawAgain] = useState({});
  useEffect(() => {
    if (wanted.current !== q) return;
    wanted.current = null;
    const [first, second] = page;
    if (first && !second && (look.rowHref || look.onOpen)) look.open(first.original, false);
    else if (first) focusFirst();
  });
  return (text) => {
    wanted.current = text;
    drawAgain({});
  };
}

interface GridProps<T extends object> {
  readonly props: DataTableProps<T>;
  readonly model: TableModel<T>;
  readonly look: RowLook<T>;
  readonly bounds: PageBounds;
  readonly page: readonly BodyRow<T>[];
  readonly rowCount: number;
  readonly isNarrow: boolean;
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  readonly move: { readonly index: number } | null;
}

function Grid<T extends object>({ props, model, look, bounds, page, rowCount, isNarrow, scroller, move }: GridProps<T>): JSX.Element {
  const { label, rows, rowActions, more, isServerSide = false } = props;
  const [state, set] = props.state;
  const { minWidth } = layoutOf(look.columns, { select: look.canSelect, actions: rowActions !== undefined });
  const isAll = page.length > 0 && page.every((row) => row.getIsSelected());
  const selectPage = (on: boolean): void =>
    model.setRowSelection((before) => {
      const others = Object.entries(before).filter(([id]) => !page.some((row) => row.id === id));
      return Object.fromEntries([...others, ...(on ? page.map((row): [string, true] => [row.id, true]) : [])]);
    });
  const selection = { all: isAll, some: page.some((row) => row.getIsSelected()), onChange: selectPage };
  return (
    <table
      role="table"
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-busy={rows === undefined}
      className="block"
      style={isNarrow ? undefined : { minWidth }}
    >
      {isNarrow ? (
        <thead role="rowgroup" className="sr-only">
          <tr role="row" aria-rowindex={1}>
            <th role="columnheader">{look.columns[0]?.title}</th>
            <th role="columnheader">{look.columns.find(({ card }) => card === 'figure')?.title ?? 'Figure'}</th>
            <th role="columnheader">Actions</th>
          </tr>
        </thead>
      ) : (
        <Head
          columns={look.columns}
          template={look.template}
          {...{ state, set }}
          {...(look.canSelect && { selection })}
          hasActions={rowActions !== undefined}
          isFixed={more !== undefined && !isServerSide}
        />
      )}
      {page.length > 0 && <Body rows={page} start={bounds.start} {...{ look, isNarrow, scroller, move }} />}
    </table>
  );
}
