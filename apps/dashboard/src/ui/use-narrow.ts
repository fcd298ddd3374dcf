import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(width < 40rem)');

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** Whether the window is as narrow as that of a phone: below 640 pixels. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
