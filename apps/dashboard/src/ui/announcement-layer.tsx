import { Toast } from '@base-ui/react/toast';
import { type JSX, useEffect } from 'react';
import { Icon, type IconName } from './icon.js';

export type AnnouncementLook = 'good' | 'bad';

/** What can be done about an announcement: "Undo", "Try again". */
export interface AnnouncementAction {
  readonly label: string;
  readonly run: () => void;
}

const SHOWN_MS = { good: 5_000, bad: 12_000 } as const;
/** Somebody who wants to undo something reads first. */
const ACTION_MS = 10_000;
const AT_ONCE = 3;

const manager = Toast.createToastManager();

/** Shows an announcement in the layer. */
export function show(text: string, look: AnnouncementLook, action?: AnnouncementAction): void {
  const timeout = Math.max(SHOWN_MS[look], action ? ACTION_MS : 0);
  const id: string = manager.add({
    ...{ title: text, type: look, timeout },
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          manager.close(id);
          action.run();
        },
      },
    }),
  });
}

/** Where announcements are drawn; once on a page. `onMounted` is called once it can take them. */
export function AnnouncementLayer({ onMounted }: { readonly onMounted: () => void }): JSX.Element {
  useEffect(onMounted, [onMounted]);
  return (
    <Toast.Provider toastManager={manager} limit={AT_ONCE}>
      <Toast.Portal>
        <Toast.Viewport
          aria-label="Announcements"
          className="pointer-events-none fixed inset-x-4 bottom-4 z-70 grid justify-items-stretch gap-2 outline-none sm:left-auto sm:w-96"
        >
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

const ICONS: Readonly<Record<string, IconName>> = { good: 'good', bad: 'failed' };

function List(): JSX.Element {
  const { toasts } = Toast.useToastManager();
  return (
    <>
      {toasts.map((toast) => (
        // A group: a dialog, which Base UI makes of it, would be one of two where a form is open.
        <Toast.Root
          key={toast.id}
          toast={toast}
          role="group"
          aria-modal={undefined}
          className="pointer-events-auto rounded-lg border border-line bg-raised shadow-overlay transition-opacity data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0"
        >
          <Toast.Content className="flex items-start gap-2.5 py-2.5 pr-2 pl-3 text-sm">
            <Icon name={ICONS[toast.type ?? ''] ?? 'info'} className={`mt-1 size-4 ${toast.type === 'bad' ? 'text-bad' : 'text-good'}`} />
            <Toast.Title render={<p />} className="min-w-0 flex-1 py-[3px] break-words" />
            {toast.actionProps && <Toast.Action className="min-h-6 rounded-sm px-1.5 font-medium text-accent hover:bg-sunken" />}
            <Toast.Close
              aria-label="Dismiss"
              aria-hidden={undefined}
              className="grid size-6 shrink-0 place-items-center rounded-sm text-muted hover:bg-sunken hover:text-ink"
            >
              <Icon name="close" className="size-3.5" />
            </Toast.Close>
          </Toast.Content>
        </Toast.Root>
      ))}
    </>
  );
}
