import { Menu as Base } from '@base-ui/react/menu';
import type { JSX, ReactNode } from 'react';

export interface MenuEntry {
  readonly label: string;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

export interface MenuProps {
  /** What the button is called where it shows a picture alone. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly triggerClass: string;
  readonly entries: readonly MenuEntry[];
}

export function Menu({ label, trigger, triggerClass, entries }: MenuProps): JSX.Element {
  return (
    <Base.Root>
      <Base.Trigger aria-label={label} className={triggerClass}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={4} className="z-50">
          <Base.Popup className="min-w-44 rounded-lg border border-line bg-surface p-1 shadow-lg outline-none">
            {entries.map(({ label: text, onSelect, danger = false, disabled = false }) => (
              <Base.Item
                key={text}
                disabled={disabled}
                onClick={onSelect}
                className={`cursor-pointer rounded-md px-3 py-2 text-sm outline-none data-disabled:opacity-50 data-highlighted:bg-sunken ${danger ? 'text-bad' : ''}`}
              >
                {text}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
