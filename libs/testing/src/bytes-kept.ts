import v8 from 'node:v8';
import vm from 'node:vm';

/** Approximate bytes of one object. */
const THING_BYTES = 10_000;
const THINGS = 2_000;

type Collect = (options?: { readonly type: 'minor' }) => void;

/**
 * Memory that `use` leaves per object after young-generation collections, including garbage that old space still references.
 * @returns bytes per object, for 2,000 objects of about 10 kB
 */
export function bytesKeptOf(use: (thing: object) => void): number {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as Collect;
  const turn = (count: number): void => {
    for (let i = 0; i < count; i += 1) use(Array.from({ length: THING_BYTES / 50 }, (_, at) => ({ at })));
  };
  turn(100);
  // Moves live objects to old space.
  collect();
  collect();
  const before = process.memoryUsage().heapUsed;
  turn(THINGS);
  collect({ type: 'minor' });
  collect({ type: 'minor' });
  return (process.memoryUsage().heapUsed - before) / THINGS;
}
