import { Menu } from '@base-ui/react/menu';
import type { JSX } from 'react';
import { OVERLAY, OVERLAY_ITEM } from '../overlay.js';
import type { RowAction } from './types.js';

export interface RowMenuProps<T> {
  readonly handle: Menu.Handle<T>;
  readonly actionsOf: (row: T) => readonly RowAction[];
}

/** The menu of whichever row's button was pressed: one for all rows, as a table may have hundreds. */
export function RowMenu<T>({ handle, actionsOf }: RowMenuProps<T>): JSX.Element {
  return (
    <Menu.Root handle={handle}>
      {({ payload }) => (
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-60">
            <Menu.Popup className={`${OVERLAY} max-h-(--available-height) max-w-(--available-width) overflow-y-auto p-1 min-w-40`}>
              {payload !== undefined &&
                actionsOf(payload).map(({ label, onSelect, danger = false, disabled = false }) => (
                  <Menu.Item key={label} disabled={disabled} onClick={onSelect} className={`${OVERLAY_ITEM} ${danger ? 'text-bad' : ''}`}>
                    {label}
                  </Menu.Item>
                ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      )}
    </Menu.Root>
  );
}
