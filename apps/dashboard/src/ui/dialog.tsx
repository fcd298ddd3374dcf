import { Dialog as Base } from '@base-ui/react/dialog';
import { type JSX, type ReactNode, useRef } from 'react';
import { Icon } from './icon.js';

export interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Absent: neither Esc nor a click outside closes it, and it has no cross; a button inside must. */
  readonly onClose?: () => void;
  readonly wide?: boolean;
}

const FIELD = ':is(input, textarea):not([type=hidden], [aria-hidden=true], [tabindex="-1"], :disabled), [role=combobox]:not(:disabled)';
const BUTTON = 'button:not([data-cross], :disabled)';

/** What the focus goes to when a window opens: its first field, else its first button, which cancels. */
const firstIn = (popup: HTMLElement | null): HTMLElement | true =>
  popup?.querySelector<HTMLElement>(FIELD) ?? popup?.querySelector<HTMLElement>(BUTTON) ?? true;

/** The cross of a window. */
export const CROSS =
  '-m-1.5 grid size-8 shrink-0 place-items-center rounded-md text-muted transition-colors hover:bg-sunken hover:text-ink pointer-coarse:size-11';

/** A window over the page. It is drawn while it is open, so that what it holds is gone afterwards. */
export function Dialog({ title, children, onClose, wide = false }: DialogProps): JSX.Element {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open disablePointerDismissal={!onClose} onOpenChange={(open) => !open && onClose?.()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 animate-appear bg-black/40" />
        <Base.Viewport className="fixed inset-0 z-50 grid place-items-end overflow-y-auto sm:place-items-center sm:p-6">
          <Base.Popup
            ref={popup}
            initialFocus={() => firstIn(popup.current)}
            className={`max-h-full w-full animate-appear overflow-y-auto rounded-t-xl border border-line bg-raised p-5 shadow-overlay outline-none sm:rounded-xl ${wide ? 'sm:max-w-3xl' : 'sm:max-w-lg'}`}
          >
            <div className="mb-4 flex items-start justify-between gap-4">
              <Base.Title className="text-lg font-semibold break-words">{title}</Base.Title>
              {onClose && (
                <Base.Close aria-label="Close" data-cross="" className={CROSS}>
                  <Icon name="close" />
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
