import { type JSX, useSyncExternalStore } from 'react';
import { Icon } from './icon.js';

interface Announcement {
  readonly id: number;
  readonly text: string;
  readonly look: 'good' | 'bad';
}

const SHOWN_MS = { good: 5_000, bad: 12_000 } as const;

let shown: readonly Announcement[] = [];
let last = 0;
const listeners = new Set<() => void>();

function become(next: readonly Announcement[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const dismiss = (id: number): void => become(shown.filter((one) => one.id !== id));

/** Says in a corner what came of something, to screen readers too. */
export function announce(text: string, look: Announcement['look'] = 'good'): void {
  last += 1;
  const id = last;
  become([...shown.slice(-2), { id, text, look }]);
  setTimeout(() => dismiss(id), SHOWN_MS[look]);
}

export function Announcements(): JSX.Element {
  const list = useSyncExternalStore(subscribe, () => shown);
  return (
    <div aria-live="polite" className="pointer-events-none fixed inset-x-4 bottom-4 z-60 grid justify-items-end gap-2">
      {list.map(({ id, text, look }) => (
        <div
          key={id}
          className={`pointer-events-auto flex max-w-md items-center gap-3 rounded-lg border-l-4 bg-ink px-4 py-3 text-sm text-page shadow-lg ${look === 'bad' ? 'border-bad' : 'border-good'}`}
        >
          <span>{text}</span>
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(id)} className="-mr-1 rounded p-1">
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
