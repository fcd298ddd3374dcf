import { performance } from 'node:perf_hooks';
import { executionAsyncResource } from 'node:async_hooks';
import { Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/** Pause between two looks, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** After so many busy looks the process is in use, and V8 collects by itself. */
const LOOKS_MAX = 12;
/** Share of the time between two looks in which the event loop of a process at rest works. */
const REST_SHARE = 0.1;

/**
 * The object that one `process.nextTick` made, kept for good. When a collection finds no such object, V8 drops their shape, and
 * its code for literals with computed names never gets fast again: each `nextTick` takes 1 µs instead of 0.05.
 */
let tickObject: object | undefined;

/**
 * Collects all garbage of this thread and returns free memory to the system, in one pause of 50 to 250 ms. Unlike `gc()` this
 * also shrinks the young generation and drops compiled code that no longer runs.
 * @param done called afterwards
 */
export function collectGarbage(done: () => void = () => undefined): void {
  process.nextTick(() => {
    tickObject ??= executionAsyncResource();
    collect(done);
  });
}

function collect(done: () => void): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () =>
    // Within this callback a disconnect would block the thread for ever.
    setImmediate(() => {
      session.disconnect();
      done();
    }),
  );
}

/**
 * Frees what a process needed only for its start, such as parsed sources: V8 keeps a heap that has grown until it grows again,
 * and a process at rest does not. Happens once, and only while the process is at rest: never beside requests.
 */
export function freeStartGarbage(everyMs = LOOK_EVERY_MS): void {
  let looks = 0;
  let last = performance.eventLoopUtilization();
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const isAtRest = performance.eventLoopUtilization(now, last).utilization < REST_SHARE;
    last = now;
    looks += 1;
    if (!isAtRest && looks < LOOKS_MAX) return;
    clearInterval(looking);
    if (isAtRest) collectGarbage();
  }, everyMs).unref();
}

/**
 * Lets the heap double before V8 looks for garbage in all of it, for processes that pass large bodies on. V8 counts buffers
 * towards the heap's limit, which it sets a quarter above what lives: five bodies of 400 kB were enough for a full collection,
 * and those took half of the processor time of such requests. Call it before anything else.
 */
export function letHeapDouble(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
