import { processMemory } from '@slipway/platform';

/** Time between two looks, in milliseconds. */
const LOOK_MS = 250;

/** Looks four times a second whether a process with its children takes more than it may; calls `onExcess` once. @returns what ends it */
export function watchMemory(pid: number, most: number, onExcess: () => void): () => void {
  const timer = setInterval(() => {
    if (processMemory(pid) <= most) return;
    clearInterval(timer);
    onExcess();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
