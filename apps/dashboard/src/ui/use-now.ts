import { useSyncExternalStore } from 'react';

/** Times on the screen are no older, in milliseconds. */
const TICK_MS = 15_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** The time in milliseconds since the epoch, as of the last tick: all that is drawn with it agrees and goes on by itself. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
