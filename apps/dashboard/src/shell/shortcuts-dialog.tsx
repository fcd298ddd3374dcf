import type { JSX } from 'react';
import { useAccount } from '../session/use-session.js';
import { Dialog } from '../ui/dialog.js';
import { placesFor } from './places.js';

const GENERAL: readonly (readonly [keys: string, what: string])[] = [
  ['⌘ K', 'Search and commands (Ctrl K)'],
  ['?', 'Show this list'],
  ['[', 'Collapse or expand the sidebar'],
  ['c', 'Create a deployment or key'],
  ['/', 'Search the list'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close'],
];

/** The keys of the console. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const places = placesFor(useAccount().role === 'owner').flatMap((group) => group.places);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        <Keys title="Everywhere" rows={GENERAL} />
        <Keys title="Go to" rows={places.map(({ key, label }) => [`g ${key}`, label] as const)} />
      </div>
    </Dialog>
  );
}

function Keys({ title, rows }: { readonly title: string; readonly rows: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <section className="grid content-start gap-2">
      <h3 className="font-semibold">{title}</h3>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-3 gap-y-1.5">
        {rows.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys.split(' ').map((key) => (
                <kbd key={key} className="kbd">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
