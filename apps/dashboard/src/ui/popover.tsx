import { Popover as Base } from '@base-ui/react/popover';
import type { JSX, ReactElement, ReactNode } from 'react';
import { OVERLAY } from './overlay.js';

export interface PopoverProps {
  /** Name of the window for screen readers. */
  readonly label: string;
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
  readonly align?: 'start' | 'center' | 'end';
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly className?: string;
}

/** A small window at a button; Esc and a press outside close it, and the focus goes back. */
export function Popover({
  label,
  trigger,
  children,
  align = 'start',
  open,
  onOpenChange,
  className = 'w-72 p-3',
}: PopoverProps): JSX.Element {
  return (
    <Base.Root {...(open !== undefined && { open })} onOpenChange={(next) => onOpenChange?.(next)}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={4} collisionPadding={8} className="z-60">
          <Base.Popup aria-label={label} className={`${OVERLAY} max-w-(--available-width) ${className}`}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
