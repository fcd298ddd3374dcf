import { readFileSync, readlinkSync } from 'node:fs';

const NS_PER_MS = 1e6;
/** Milliseconds between two reads of a thread's CPU time, which read a file. */
const LOOK_EVERY_MS = 10;

/** File with this thread's CPU time; null = unavailable. */
export function threadStats(): string | null {
  try {
    const path = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`;
    return cpuMs(path) === null ? null : path;
  } catch {
    return null;
  }
}

/**
 * CPU time of a thread in milliseconds, which a busy machine does not increase.
 * @returns null where the system does not report it.
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

/** A cheap clock of this thread's CPU time; of elapsed time where the system does not report it. */
export function workClock(stats: string | null): () => number {
  let [looked, ms] = [-Infinity, 0];
  return () => {
    const now = performance.now();
    if (now - looked >= LOOK_EVERY_MS) [looked, ms] = [now, cpuMs(stats) ?? now];
    return ms;
  };
}
