import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** As `nice -n 10`: about a tenth of the time that the main loop gets where both want the same core. */
const NICENESS = 10;

/**
 * Called in a thread: lets the main loop go first where there are fewer cores than threads that want one. Tokens do not wait
 * for large bodies. Linux alone has priorities of threads (setpriority(2)); elsewhere, and where it is forbidden, all are equal.
 */
export function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
  } catch {
    // Reading works all the same.
  }
}
