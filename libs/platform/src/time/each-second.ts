import { hostname } from 'node:os';

const SECOND_MS = 1_000;
/** Least time between two runs, in milliseconds: a timer may fire slightly before its time. */
const LEAST_MS = 100;

/**
 * Where the runs lie within a second of the machine's clock. Equal for the processes of one machine: while they rest, one process
 * wakes the others anyway. Different between machines, so that the readers of a large installation do not ask at the same moment.
 */
const PHASE_MS = Buffer.from(hostname()).reduce((hash, byte) => (hash * 31 + byte) % SECOND_MS, 0);

const works = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

function schedule(): void {
  const rest = SECOND_MS - ((Date.now() + SECOND_MS - PHASE_MS) % SECOND_MS);
  // Its owners have sockets that keep the process alive.
  timer = setTimeout(run, rest < LEAST_MS ? rest + SECOND_MS : rest).unref();
}

function run(): void {
  schedule();
  // One may end another.
  for (const work of [...works]) if (works.has(work)) work();
}

/**
 * Runs `work` once a second, in the same turn as all other such work of this process: a process at rest costs as much as it has
 * wake-ups. After a stall of the process it runs once, late. Does not keep the process alive.
 * @returns ends it
 */
export function eachSecond(work: () => void): () => void {
  // An own function for each call, so that the same work can be added twice.
  const own = (): void => work();
  works.add(own);
  if (timer === undefined) schedule();
  return () => {
    works.delete(own);
    if (works.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };
}
