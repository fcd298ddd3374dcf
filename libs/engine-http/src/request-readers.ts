import { availableParallelism } from 'node:os';
import { type Logger, ThreadPool } from '@slipway/platform';

const THREADS_MAX = 4;
/** How long a thread may take for one request, in milliseconds. */
const READ_MS = 10_000;
/** A new thread makes the next large request wait for its modules, so it stays for a while. */
const IDLE_MS = 600_000;
/** What waits has a slot of its deployment already, which bounds it further. */
const WAITING = { perKey: 1_024, inAll: 8_192 };
/** Threads cannot read TypeScript: run from source, as tests are, this takes the thread that was built. */
const THREAD = new URL(import.meta.url.endsWith('.ts') ? '../dist/prepare-thread.js' : 'prepare-thread.js', import.meta.url);

/** Threads in which HTTP engines read large requests; one pool serves all engines of a process. The caller closes it. */
export function createRequestReaders(log: Logger): ThreadPool {
  return new ThreadPool({
    threadUrl: THREAD,
    threads: Math.min(THREADS_MAX, Math.max(2, availableParallelism())),
    taskMs: READ_MS,
    idleMs: IDLE_MS,
    waiting: WAITING,
    log,
  });
}
