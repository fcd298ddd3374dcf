import { Menu } from '@base-ui/react/menu';
import type { JSX, ReactNode } from 'react';
import type { TableState } from '../../url-state/table-search.js';
import type { SetUrlState } from '../../url-state/use-url-state.js';
import { Icon } from '../icon.js';
import { OVERLAY, OVERLAY_HEADING, OVERLAY_ITEM } from '../overlay.js';
import { BAR_BUTTON } from './looks.js';
import type { Column } from './types.js';

/** The columns that a table shows. The first one always stays: it leads to the row. */
export function visibleColumns<T>(columns: readonly Column<T>[], cols: readonly string[]): readonly Column<T>[] {
  const isKnown = columns.some(({ id }) => cols.includes(id));
  return columns.filter(({ id, hidden }, index) => index === 0 || (isKnown ? cols.includes(id) : hidden !== true));
}

/** `cols` after one column was shown or hidden; empty where that is what the table shows by default. */
export function toggledColumns<T>(columns: readonly Column<T>[], cols: readonly string[], id: string): readonly string[] {
  const shown = new Set(visibleColumns(columns, cols).map((column) => column.id));
  if (!shown.delete(id)) shown.add(id);
  const next = columns.filter((column) => shown.has(column.id)).map((column) => column.id);
  return next.join() ===
    visibleColumns(columns, [])
      .map((column) => column.id)
      .join()
    ? []
    : next;
}

export interface ViewMenuProps<T> {
  readonly columns: readonly Column<T>[];
  readonly state: TableState;
  readonly set: SetUrlState<TableState>;
  /** Rows are cards: they have no headings to sort by, and no columns to choose. */
  readonly isNarrow: boolean;
}

/** How a table is drawn: density and columns; on phones the order of its rows. */
export function ViewMenu<T>({ columns, state, set, isNarrow }: ViewMenuProps<T>): JSX.Element {
  return (
    <Menu.Root>
      <Menu.Trigger aria-label="View" className={BAR_BUTTON}>
        <Icon name="settings" className="size-4 text-muted" />
        <span className="max-sm:hidden">View</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-60">
          <Menu.Popup className={`${OVERLAY} max-h-(--available-height) max-w-(--available-width) overflow-y-auto p-1 min-w-48`}>
            {isNarrow ? <SortItems {...{ columns, state, set }} /> : <ColumnItems {...{ columns, state, set }} />}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

type ItemsProps<T> = Omit<ViewMenuProps<T>, 'isNarrow'>;

function Radio({ value, children }: { readonly value: string; readonly children: ReactNode }): JSX.Element {
  return (
    <Menu.RadioItem value={value} closeOnClick={false} className={OVERLAY_ITEM}>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      <Menu.RadioItemIndicator className="text-accent">
        <Icon name="check" />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}

function SortItems<T>({ columns, state, set }: ItemsProps<T>): JSX.Element {
  return (
    <>
      <Menu.RadioGroup value={state.sort ?? ''} onValueChange={(sort: string) => set({ sort, page: 1 })}>
        <Menu.GroupLabel className={OVERLAY_HEADING}>Sort by</Menu.GroupLabel>
        {columns
          .filter(({ value }) => value)
          .map(({ id, title }) => (
            <Radio key={id} value={id}>
              {title}
            </Radio>
          ))}
      </Menu.RadioGroup>
      <Menu.RadioGroup value={state.dir} onValueChange={(dir: TableState['dir']) => set({ dir, page: 1 })}>
        <Menu.GroupLabel className={OVERLAY_HEADING}>Order</Menu.GroupLabel>
        <Radio value="asc">Ascending</Radio>
        <Radio value="desc">Descending</Radio>
      </Menu.RadioGroup>
    </>
  );
}

function ColumnItems<T>({ columns, state, set }: ItemsProps<T>): JSX.Element {
  const shown = visibleColumns(columns, state.cols);
  return (
    <>
      <Menu.RadioGroup value={state.density} onValueChange={(density: TableState['density']) => set({ density })}>
        <Menu.GroupLabel className={OVERLAY_HEADING}>Density</Menu.GroupLabel>
        <Radio value="normal">Normal</Radio>
        <Radio value="compact">Compact</Radio>
      </Menu.RadioGroup>
      <Menu.Group>
        <Menu.GroupLabel className={OVERLAY_HEADING}>Columns</Menu.GroupLabel>
        {columns.map((column, index) => (
          <Menu.CheckboxItem
            key={column.id}
            disabled={index === 0}
            checked={shown.includes(column)}
            onCheckedChange={() => set({ cols: toggledColumns(columns, state.cols, column.id) })}
            closeOnClick={false}
            className={OVERLAY_ITEM}
          >
            <span className="min-w-0 flex-1 truncate">{column.title}</span>
            <Menu.CheckboxItemIndicator className="text-accent">
              <Icon name="check" />
            </Menu.CheckboxItemIndicator>
          </Menu.CheckboxItem>
        ))}
      </Menu.Group>
    </>
  );
}
