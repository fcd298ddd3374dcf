import { Dialog as Base } from '@base-ui/react/dialog';
import type { JSX, ReactNode } from 'react';
import { Icon } from './icon.js';

export interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Absent: neither Esc nor a click outside closes it, and it has no cross; a button inside must. */
  readonly onClose?: () => void;
  readonly wide?: boolean;
}

/** A window over the page. It is drawn while it is open, so that what it holds is gone afterwards. */
export function Dialog({ title, children, onClose, wide = false }: DialogProps): JSX.Element {
  return (
    <Base.Root open disablePointerDismissal={!onClose} onOpenChange={(open) => !open && onClose?.()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <Base.Viewport className="fixed inset-0 z-50 grid place-items-end overflow-y-auto sm:place-items-center sm:p-6">
          <Base.Popup
            className={`max-h-full w-full overflow-y-auto rounded-t-xl border border-line bg-surface p-5 shadow-xl sm:rounded-xl ${wide ? 'sm:max-w-3xl' : 'sm:max-w-lg'}`}
          >
            <div className="mb-3 flex items-start justify-between gap-4">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {onClose && (
                <Base.Close aria-label="Close" className="-m-1.5 rounded-md p-1.5 text-muted hover:bg-sunken">
                  <Icon name="close" className="size-5" />
                </Base.Close>
              )}
            </div>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4">{children}</div>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** The buttons at the end of a dialog. */
export function DialogButtons({ children }: { readonly children: ReactNode }): JSX.Element {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>;
}
