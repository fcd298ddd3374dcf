import { type JSX, lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import type { AnnouncementAction, AnnouncementLook } from './announcement-layer.js';

/** The layer is loaded this long after the page, in milliseconds: a screen reader needs the region before its first text. */
const LOAD_AFTER_MS = 500;

const load = () => import('./announcement-layer.js');
const Layer = lazy(() => load().then((module) => ({ default: module.AnnouncementLayer })));

let isWanted = false;
const listeners = new Set<() => void>();
let onMounted = (): void => undefined;
/** The layer drops what comes before it is drawn. */
const mounted = new Promise<void>((resolve) => {
  onMounted = resolve;
});

function want(): void {
  isWanted = true;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says in a corner what came of something, to screen readers too. */
export function announce(text: string, look: AnnouncementLook = 'good', action?: AnnouncementAction): void {
  want();
  void Promise.all([load(), mounted]).then(([{ show }]) => show(text, look, action));
}

/** Where announcements are shown; once on a page. */
export function Announcements(): JSX.Element | null {
  const isShown = useSyncExternalStore(subscribe, () => isWanted);
  useEffect(() => {
    const timer = setTimeout(want, LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isShown ? (
    <Suspense>
      <Layer onMounted={onMounted} />
    </Suspense>
  ) : null;
}
