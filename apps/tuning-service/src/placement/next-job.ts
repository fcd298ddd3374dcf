/** A job that waits, as far as its turn is concerned. */
export interface Waiting {
  readonly id: number;
  readonly account: number;
  readonly priority: number;
  /** How often its worker was lost: such a job goes first. */
  readonly losses: number;
  /** When it was queued, in milliseconds. */
  readonly queuedAt: number;
}

/** What accounts use now and used before. */
export interface Usage {
  /** Running slots by account. */
  readonly running: ReadonlyMap<number, number>;
  /** Device seconds of the last 24 hours by account. */
  readonly deviceSeconds: ReadonlyMap<number, number>;
}

/**
 * Jobs in the order of their turns. Jobs whose worker was lost come first. Then the account with the fewest running slots, then the
 * fewest device seconds in 24 hours, then the oldest job; within an account by priority. An account's next job counts as if its
 * earlier ones ran, so accounts alternate.
 */
export function inLine<T extends Waiting>(waiting: readonly T[], usage: Usage): T[] {
  const lost = waiting.filter(({ losses }) => losses > 0).toSorted(byAge);
  const running = new Map(usage.running);
  for (const { account } of lost) add(running, account);
  const lines = new Map<number, T[]>();
  for (const job of waiting.filter(({ losses }) => losses === 0).toSorted((a, b) => b.priority - a.priority || byAge(a, b)))
    lines.set(job.account, [...(lines.get(job.account) ?? []), job]);
  const order = [...lost];
  while (lines.size > 0) {
    const [account, line] = [...lines].reduce((one, other) => (before(other, one, { ...usage, running }) ? other : one));
    const [next, ...rest] = line;
    if (next) order.push(next);
    add(running, account);
    if (rest.length > 0) lines.set(account, rest);
    else lines.delete(account);
  }
  return order;
}

const byAge = (a: Waiting, b: Waiting): number => a.queuedAt - b.queuedAt || a.id - b.id;

function add(counts: Map<number, number>, account: number): void {
  counts.set(account, (counts.get(account) ?? 0) + 1);
}

type Line = readonly [account: number, jobs: readonly Waiting[]];

function before([a, jobsA]: Line, [b, jobsB]: Line, { running, deviceSeconds }: Usage): boolean {
  const slots = (running.get(a) ?? 0) - (running.get(b) ?? 0);
  if (slots !== 0) return slots < 0;
  const seconds = (deviceSeconds.get(a) ?? 0) - (deviceSeconds.get(b) ?? 0);
  if (seconds !== 0) return seconds < 0;
  const [oldestA, oldestB] = [jobsA.toSorted(byAge)[0], jobsB.toSorted(byAge)[0]];
  return oldestA !== undefined && oldestB !== undefined && byAge(oldestA, oldestB) < 0;
}
