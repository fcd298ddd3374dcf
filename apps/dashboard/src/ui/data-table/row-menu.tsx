import { Menu } from '@base-ui/react/menu';
import { type JSX, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { OVERLAY, OVERLAY_ITEM } from '../overlay.js';
import type { RowAction } from './types.js';

/** Opens the menu of a row at its button. */
export interface RowMenuHandle<T> {
  readonly open: (row: T, button: HTMLElement) => void;
}

export interface RowMenuProps<T> {
  readonly ref: Ref<RowMenuHandle<T>>;
  readonly actionsOf: (row: T) => readonly RowAction[];
}

interface At<T> {
  readonly row: T;
  readonly button: HTMLElement;
}

/** The menu of whichever row's button was pressed: one for all rows, as hundreds would make scrolling slow. */
export function RowMenu<T>({ ref, actionsOf }: RowMenuProps<T>): JSX.Element {
  const [at, setAt] = useState<At<T> | null>(null);
  const [isOpen, setOpen] = useState(false);
  const closed = useRef<HTMLElement>(null);
  useImperativeHandle(ref, () => ({
    open: (row, button) => {
      // The press that closed it was on its own button, whose click comes now.
      const isSame = closed.current === button;
      closed.current = null;
      if (isSame) return;
      setAt({ row, button });
      setOpen(true);
    },
  }));
  useEffect(() => {
    at?.button.setAttribute('aria-expanded', String(isOpen));
  }, [at, isOpen]);
  return (
    <Menu.Root
      open={isOpen}
      onOpenChange={(next, { event }) => {
        const isOnButton = event.target instanceof Node && at?.button.contains(event.target) === true;
        closed.current = !next && isOnButton && event.type.startsWith('pointer') ? (at?.button ?? null) : null;
        setOpen(next);
      }}
    >
      <Menu.Portal>
        <Menu.Positioner anchor={at?.button ?? null} align="end" sideOffset={4} collisionPadding={8} className="z-60">
          <Menu.Popup
            finalFocus={() => at?.button ?? null}
            className={`${OVERLAY} max-h-(--available-height) max-w-(--available-width) min-w-40 overflow-y-auto p-1`}
          >
            {at &&
              actionsOf(at.row).map(({ label, onSelect, danger = false, disabled = false }) => (
                <Menu.Item key={label} disabled={disabled} onClick={onSelect} className={`${OVERLAY_ITEM} ${danger ? 'text-bad' : ''}`}>
                  {label}
                </Menu.Item>
              ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
