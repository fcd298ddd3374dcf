import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** Like `nice -n 10`: about a tenth of the main thread's share of a contended core. */
const NICENESS = 10;

/**
 * Lowers the priority of the calling thread, so that tokens do not wait for large bodies where cores are scarce. Only Linux has
 * thread priorities (setpriority(2)); elsewhere, and where it is forbidden, this does nothing.
 */
export function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // The thread works without it.
  }
}
