const MINUTE_MS = 60_000;
/** New agents in a minute: a fleet of a thousand hosts that starts at once waits a moment. */
const JOINS_MAX = 1_200;
/** The same of one host, as it calls itself: far more than processes that crash and start again. */
const JOINS_OF_HOST_MAX = 120;

/** How many agents may join this replica of the service in a minute. */
export class JoinRate {
  readonly #ofHost = new Map<string, number>();
  #began = Number.NEGATIVE_INFINITY;
  #all = 0;

  /** @param now milliseconds that only rise. */
  constructor(private readonly now: () => number) {}

  /** Counts a join. @returns null when it may go on, else the seconds until one may */
  take(host: string): number | null {
    const now = this.now();
    if (now - this.#began >= MINUTE_MS) {
      this.#began = now;
      this.#all = 0;
      this.#ofHost.clear();
    }
    const ofHost = this.#ofHost.get(host) ?? 0;
    if (this.#all >= JOINS_MAX || ofHost >= JOINS_OF_HOST_MAX) return Math.ceil((this.#began + MINUTE_MS - now) / 1_000);
    this.#all += 1;
    this.#ofHost.set(host, ofHost + 1);
    return null;
  }
}
