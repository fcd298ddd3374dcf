import { readFileSync, readlinkSync } from 'node:fs';

const NS_PER_MS = 1e6;
/** Milliseconds between two looks at what a thread has taken, which read a file. */
const LOOK_EVERY_MS = 10;

/** Where the system tells what this thread has taken; null = it does not. */
export function threadStats(): string | null {
  try {
    const path = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
    return cpuMs(path) === null ? null : path;
  } catch {
    return null;
  }
}

/**
 * Milliseconds for which a thread has had a core, so that a busy machine costs it nothing.
 * @returns null where the system does not tell.
 */
export function cpuMs(stats: string | null): number | null {
  if (stats === null) return null;
  try {
    const [ran] = readFileSync(stats, 'utf8').split(' ');
    return /^\d+$/.test(ran ?? '') ? Number(ran) / NS_PER_MS : null;
  } catch {
    return null;
  }
}

/** A clock of this thread's work that may be asked often; of time, where the system does not tell. */
export function workClock(stats: string | null): () => number {
  let [looked, ms] = [-Infinity, 0];
  return () => {
    const now = performance.now();
    if (now - looked >= LOOK_EVERY_MS) [looked, ms] = [now, cpuMs(stats) ?? now];
    return ms;
  };
}
