import { readFileSync } from 'node:fs';

/** Time between two looks, in milliseconds. */
const LOOK_MS = 250;
/** Generations of processes that are looked at. */
const DEPTH_MAX = 8;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended, or this system has no such file.
    return '';
  }
};

const kibOf = (status: string, field: string): number => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);

/** Memory that a process and its children have for themselves, in bytes: what they wrote, also where it was swapped out. Linux only. */
export function ownMemory(pid: number, depth = 0): number {
  const status = read(`/proc/${pid}/status`);
  const own = 1_024 * (kibOf(status, 'RssAnon') + kibOf(status, 'RssShmem') + kibOf(status, 'VmSwap'));
  if (depth === DEPTH_MAX) return own;
  const children = read(`/proc/${pid}/task/${pid}/children`).trim();
  return children === '' ? own : children.split(' ').reduce((sum, child) => sum + ownMemory(Number(child), depth + 1), own);
}

/** Looks four times a second whether a process with its children takes more than it may; calls `onExcess` once. @returns what ends it */
export function watchMemory(pid: number, most: number, onExcess: () => void): () => void {
  const timer = setInterval(() => {
    if (ownMemory(pid) <= most) return;
    clearInterval(timer);
    onExcess();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
