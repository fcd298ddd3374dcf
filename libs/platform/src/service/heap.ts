import { performance } from 'node:perf_hooks';
import { executionAsyncResource } from 'node:async_hooks';
import { Session } from 'node:inspector';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Pause between two looks, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** Share of the time between two looks in which the event loop of a process at rest works. */
const REST_SHARE = 0.1;
/** A process at rest collects again once its heap has grown by so much since the last time, in bytes. */
const GROWN_BYTES = 4 * 1024 * 1024;

let hasRelayed = false;

/** Something was handed on that someone reads while it arrives, which no collection may delay. Costs nothing. */
export function noteRelayed(): void {
  hasRelayed = true;
}

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
 * Frees what a process at rest no longer needs: after its start, such as parsed sources, and whenever its heap has grown since, for a
 * burst of requests. V8 keeps a heap that has grown until it grows again, and a process at rest does not. Only while the process is at
 * rest: never while it works, and never beside an answer that is being relayed.
 * @returns ends it
 */
export function freeGarbageAtRest(everyMs = LOOK_EVERY_MS): () => void {
  let left = 0;
  let last = performance.eventLoopUtilization();
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const isAtRest = !hasRelayed && performance.eventLoopUtilization(now, last).utilization < REST_SHARE;
    last = now;
    hasRelayed = false;
    if (!isAtRest || heapBytes() - left < GROWN_BYTES) return;
    collectGarbage(() => (left = heapBytes()));
  }, everyMs).unref();
  return () => clearInterval(looking);
}

const heapBytes = (): number => getHeapStatistics().total_heap_size;

/**
 * Lets the heap double before V8 looks for garbage in all of it, for processes that pass large bodies on. V8 counts buffers
 * towards the heap's limit, which it sets a quarter above what lives: five bodies of 400 kB were enough for a full collection,
 * and those took half of the processor time of such requests. Call it before anything else.
 */
export function letHeapDouble(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
