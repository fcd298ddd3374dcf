import type { CSSProperties, JSX, MouseEvent, ReactNode } from 'react';
import { Icon } from '../icon.js';
import { ICON_BUTTON } from './looks.js';
import type { Column, DataTableProps } from './types.js';

/** What all rows of a table are drawn by. */
export interface RowLook<T> extends Pick<DataTableProps<T>, 'nameOf' | 'rowHref' | 'onOpen'> {
  readonly columns: readonly Column<T>[];
  readonly template: string;
  readonly height: number;
  /** Goes where the row leads, in another tab if wanted. */
  readonly open: (row: T, elsewhere: boolean) => void;
  /** Absent: rows have no menu. */
  readonly openMenu?: (row: T, button: HTMLElement) => void;
  readonly canSelect: boolean;
}

export interface RowProps<T> {
  readonly look: RowLook<T>;
  readonly row: T;
  /** Place on the page, from 0. */
  readonly index: number;
  /** Place in the whole table as screen readers count it; the headings are the first. */
  readonly ariaIndex: number;
  readonly isSelected: boolean;
  readonly onSelect: (event: unknown) => void;
  readonly style?: CSSProperties;
}

const CONTROLS = 'a, button, input, label, select, textarea, [role="menuitem"]';
/** Whether a click on a row is one on the row itself: not on a control in it, and not the end of marking text. */
const isOnRow = ({ target }: MouseEvent): boolean =>
  target instanceof Element && target.closest(CONTROLS) === null && (window.getSelection()?.isCollapsed ?? true);

const isElsewhere = ({ ctrlKey, metaKey, button }: MouseEvent): boolean => ctrlKey || metaKey || button === 1;

/** A click anywhere on a row opens it, as the link in its first column does. */
export function rowClicks<T>({ rowHref, onOpen, open }: RowLook<T>, row: T): Pick<JSX.IntrinsicElements['tr'], 'onClick' | 'onAuxClick'> {
  if (!rowHref && !onOpen) return {};
  return {
    onClick: (event) => isOnRow(event) && open(row, isElsewhere(event)),
    onAuxClick: (event) => event.button === 1 && isOnRow(event) && open(row, true),
  };
}

/** The first cell: a link where the row leads to a page, a button where it opens something here. */
export function Opener<T>({
  look,
  row,
  children,
}: {
  readonly look: RowLook<T>;
  readonly row: T;
  readonly children: ReactNode;
}): JSX.Element {
  const { rowHref, onOpen, open } = look;
  const looks = 'block w-full min-w-0 truncate text-left font-medium rounded-sm hover:underline underline-offset-2';
  if (rowHref) {
    const follow = (event: MouseEvent): void => {
      if (isElsewhere(event) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      open(row, false);
    };
    return (
      <a data-opener href={rowHref(row)} onClick={follow} className={looks}>
        {children}
      </a>
    );
  }
  if (!onOpen) return <div className="min-w-0 truncate font-medium">{children}</div>;
  return (
    <button data-opener type="button" onClick={() => open(row, false)} className={looks}>
      {children}
    </button>
  );
}

export function RowMenuButton<T>({ look, row }: { readonly look: RowLook<T>; readonly row: T }): JSX.Element {
  return (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded="false"
      aria-label={`Actions for ${look.nameOf(row)}`}
      onClick={({ currentTarget }) => look.openMenu?.(row, currentTarget)}
      className={ICON_BUTTON}
    >
      <Icon name="more" />
    </button>
  );
}

/** A row on one line. */
export function Row<T>({ look, row, index, ariaIndex, isSelected, onSelect, style }: RowProps<T>): JSX.Element {
  const { columns, template, height, canSelect } = look;
  const opens = look.rowHref !== undefined || look.onOpen !== undefined;
  return (
    <tr
      role="row"
      tabIndex={opens ? undefined : -1}
      data-row={index}
      aria-rowindex={ariaIndex}
      aria-selected={canSelect ? isSelected : undefined}
      {...rowClicks(look, row)}
      className={`grid scroll-mt-10 border-b border-line text-sm last:border-b-0 ${isSelected ? 'bg-accent-soft' : 'bg-surface hover:bg-sunken focus-within:bg-sunken'} ${opens ? 'cursor-pointer' : ''}`}
      style={{ gridTemplateColumns: template, height, ...style }}
    >
      {canSelect && (
        <td role="cell" className="sticky left-0 z-10 bg-inherit">
          <label className="flex size-full items-center justify-center">
            <input
              type="checkbox"
              aria-label={`Select ${look.nameOf(row)}`}
              checked={isSelected}
              onChange={onSelect}
              className="size-4 accent-accent"
            />
          </label>
        </td>
      )}
      {columns.map(({ id, cell, numeric = false, pin }, place) => (
        <td
          key={id}
          role="cell"
          className={`flex min-w-0 items-center overflow-hidden px-3 whitespace-nowrap ${numeric ? 'justify-end tabular-nums' : ''} ${pin ? 'sticky z-10 bg-inherit' : ''}`}
          style={pin ? { left: canSelect && place === 0 ? 40 : 0 } : undefined}
        >
          {place === 0 ? (
            <Opener look={look} row={row}>
              {cell(row)}
            </Opener>
          ) : (
            <div className="min-w-0 truncate">{cell(row)}</div>
          )}
        </td>
      ))}
      {look.openMenu && (
        <td role="cell" className="sticky right-0 z-10 flex items-center justify-center bg-inherit">
          <RowMenuButton look={look} row={row} />
        </td>
      )}
    </tr>
  );
}
