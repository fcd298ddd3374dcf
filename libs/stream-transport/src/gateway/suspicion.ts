export interface SuspicionSettings {
  readonly suspicionMs: number;
  readonly settleMs: number;
}

/**
 * Decides when "nobody serves this worker" (503 of the server) means that the worker is dead. One such answer may only
 * mean that it is reconnecting, and none means anything shortly after the own reconnect: workers come back one by one.
 */
export class Suspicion {
  #firstAt: number | null = null;
  #asked = false;

  readonly #settings: SuspicionSettings;

  constructor(settings: SuspicionSettings) {
    this.#settings = settings;
  }

  /** Notes a 503. `linkSince` = when the own connection last changed. @returns true when the worker is dead. */
  nobodyServes(now: number, linkSince: number): boolean {
    if (now - linkSince < this.#settings.settleMs) {
      this.clear();
      return false;
    }
    if (this.#firstAt === null) {
      this.#firstAt = now;
      this.#asked = false;
      return false;
    }
    return now - this.#firstAt >= this.#settings.suspicionMs;
  }

  /** The worker answered, or the own connection changed. */
  clear(): void {
    this.#firstAt = null;
  }

  /** True once for each suspicion, when it is time for the second question. */
  probeDue(now: number): boolean {
    if (this.#firstAt === null || this.#asked || now - this.#firstAt < this.#settings.suspicionMs) return false;
    this.#asked = true;
    return true;
  }
}
