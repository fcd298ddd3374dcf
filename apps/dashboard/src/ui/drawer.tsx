import { Drawer as Base } from '@base-ui/react/drawer';
import type { JSX, ReactNode } from 'react';
import { CROSS } from './dialog.js';
import { Icon } from './icon.js';
import { useNarrow } from './use-narrow.js';

export interface DrawerProps {
  readonly title: string;
  /** Beside the title: links and buttons. */
  readonly actions?: ReactNode;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Details beside the page: 560 pixels at the right, on phones a sheet from below that a swipe closes. */
export function Drawer({ title, actions, open, onClose, children }: DrawerProps): JSX.Element {
  const isNarrow = useNarrow();
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()} swipeDirection={isNarrow ? 'down' : 'right'}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/30 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-50 flex items-end justify-end sm:items-stretch">
          <Base.Popup className="drawer flex max-h-[85dvh] w-full flex-col border-line bg-raised shadow-overlay outline-none max-sm:rounded-t-xl max-sm:border-t sm:max-h-none sm:w-[min(35rem,100vw)] sm:border-l">
            <header className="flex items-start gap-2 border-b border-line px-5 py-3">
              <Base.Title className="min-w-0 flex-1 py-1 text-base font-semibold break-words">{title}</Base.Title>
              {actions}
              <Base.Close aria-label="Close" data-cross="" className={`${CROSS} m-0!`}>
                <Icon name="close" />
              </Base.Close>
            </header>
            <Base.Content className="min-h-0 flex-1 overflow-y-auto p-5">{children}</Base.Content>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
