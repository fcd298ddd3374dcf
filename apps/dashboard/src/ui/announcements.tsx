import { type JSX, lazy, Suspense, useEffect, useState } from 'react';
import type { AnnouncementAction, AnnouncementLook } from './announcement-layer.js';

/** The layer is loaded this long after the page, in milliseconds: a screen reader needs the region before its first text. */
const LOAD_AFTER_MS = 500;

const load = () => import('./announcement-layer.js');
const Layer = lazy(() => load().then((module) => ({ default: module.AnnouncementLayer })));

/** Says in a corner what came of something, to screen readers too. */
export function announce(text: string, look: AnnouncementLook = 'good', action?: AnnouncementAction): void {
  void load().then(({ show }) => show(text, look, action));
}

/** Where announcements are shown; once on a page. */
export function Announcements(): JSX.Element | null {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(true), LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isWanted ? (
    <Suspense>
      <Layer />
    </Suspense>
  ) : null;
}
