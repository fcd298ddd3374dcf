import v8 from 'node:v8';
import vm from 'node:vm';

/** About what one thing takes. */
const THING_BYTES = 10_000;
const THINGS = 2_000;

type Collect = (options?: { readonly type: 'minor' }) => void;

/**
 * What `use` leaves of each thing that it is given, in turn, once the young generation has been collected: garbage that old
 * space still points to counts.
 * @returns bytes of the heap for each of 2,000 things of about 10 kB
 */
export function bytesKeptOf(use: (thing: object) => void): number {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as Collect;
  const turn = (count: number): void => {
    for (let i = 0; i < count; i += 1) use(Array.from({ length: THING_BYTES / 50 }, (_, at) => ({ at })));
  };
  turn(100);
  // Moves what is alive now to old space.
  collect();
  collect();
  const before = process.memoryUsage().heapUsed;
  turn(THINGS);
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before) / THINGS;
}
