import { useSyncExternalStore } from 'react';

/** In which zone the dashboard writes times: that of the device, or UTC as files and logs do. */
export type TimeZone = 'local' | 'utc';

const KEY = 'slipway.times';
const listeners = new Set<() => void>();

function stored(): TimeZone {
  try {
    return localStorage.getItem(KEY) === 'utc' ? 'utc' : 'local';
  } catch {
    // Storage may be switched off.
    return 'local';
  }
}

let zone: TimeZone | null = null;
const current = (): TimeZone => (zone ??= stored());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Holds for every time on the page at once, and for the next visits. */
export function chooseTimeZone(next: TimeZone): void {
  zone = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // Storage may be switched off: then it holds until the page is left.
  }
  for (const listener of listeners) listener();
}

/** The zone in which times are written. */
export const useTimeZone = (): TimeZone => useSyncExternalStore(subscribe, current);
