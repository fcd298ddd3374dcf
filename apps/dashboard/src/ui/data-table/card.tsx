import type { JSX } from 'react';
import { CARD_PX } from './layout.js';
import { Opener, rowClicks, RowMenuButton, type RowProps } from './row.js';

/** A row on phones: title and figure, below them state and what the figure is. The rest is seen by opening it. */
export function Card<T>({ look, row, index, ariaIndex }: RowProps<T>): JSX.Element {
  const [title] = look.columns;
  const status = look.columns.find(({ card }) => card === 'status');
  const figure = look.columns.find(({ card }) => card === 'figure');
  return (
    <tr
      role="row"
      data-row={index}
      aria-rowindex={ariaIndex}
      {...rowClicks(look, row)}
      className="grid grid-cols-[minmax(0,1fr)_minmax(0,auto)_auto] items-center gap-x-3 border-b border-line px-3 text-sm last:border-b-0"
      style={{ height: CARD_PX }}
    >
      <td role="cell" className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
        {title && (
          <Opener look={look} row={row}>
            {title.cell(row)}
          </Opener>
        )}
        {status && <div className="min-w-0 truncate text-muted">{status.cell(row)}</div>}
      </td>
      <td role="cell" className="grid min-w-0 justify-items-end gap-1 text-right tabular-nums">
        {figure && (
          <>
            <div className="max-w-full min-w-0 truncate">{figure.cell(row)}</div>
            <span className="text-xs text-muted">{figure.title}</span>
          </>
        )}
      </td>
      <td role="cell">{look.openMenu && <RowMenuButton look={look} row={row} />}</td>
    </tr>
  );
}
