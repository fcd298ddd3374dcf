import { readFileSync } from 'node:fs';

/** Time in which a process may use its share, in milliseconds: that of the kernel's own limits. */
const PERIOD_MS = 100;
/** Pause between two looks at what it has used, in milliseconds. */
const LOOK_MS = 2;

/**
 * Gives a process a share of one core, like a container's limit: in each tenth of a second it stands still once it has used its share
 * of that time. What it uses above it is taken from the next ones. Linux only.
 */
export class CpuShare {
  readonly #timer: NodeJS.Timeout;
  readonly #from = performance.now();
  readonly #usedBefore: number;
  #spent: number;
  #left: number;
  #period = 0;
  #stopped = false;
  #stops = 0;

  /** @param share of one core, from 0 to 1 */
  constructor(
    private readonly pid: number,
    private readonly share: number,
  ) {
    this.#usedBefore = usedMs(pid);
    this.#spent = this.#usedBefore;
    this.#left = this.share * PERIOD_MS;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Lifts the limit. @returns the share that it had, and in how many periods it stood still */
  end(): { readonly share: number; readonly stops: number } {
    clearInterval(this.#timer);
    this.#signal(false);
    return { share: (usedMs(this.pid) - this.#usedBefore) / (performance.now() - this.#from), stops: this.#stops };
  }

  #look(): void {
    const budget = this.share * PERIOD_MS;
    const used = usedMs(this.pid);
    this.#left -= used - this.#spent;
    this.#spent = used;
    const period = Math.floor((performance.now() - this.#from) / PERIOD_MS);
    // Shares that were not used are lost.
    this.#left = Math.min(budget, this.#left + (period - this.#period) * budget);
    this.#period = period;
    this.#signal(this.#left <= 0);
  }

  #signal(stopped: boolean): void {
    if (stopped === this.#stopped) return;
    this.#stopped = stopped;
    if (stopped) this.#stops += 1;
    process.kill(this.pid, stopped ? 'SIGSTOP' : 'SIGCONT');
  }
}

/** CPU time of all threads of a process, in milliseconds. */
function usedMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  // Ticks of 10 ms: user and system.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
