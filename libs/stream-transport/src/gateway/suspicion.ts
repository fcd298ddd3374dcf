export interface SuspicionSettings {
  readonly suspicionMs: number;
  readonly settleMs: number;
}

/**
 * Decides when "no responders" (503 of the NATS server) means that a worker is dead. A single one may mean that the worker is
 * reconnecting, and shortly after the gateway's own reconnect none counts, since workers come back one by one.
 */
export class Suspicion {
  #firstAt: number | null = null;
  #asked = false;

  readonly #settings: SuspicionSettings;

  constructor(settings: SuspicionSettings) {
    this.#settings = settings;
  }

  /** Records a 503. `linkSince` = when the gateway's connection last changed. @returns true when the worker is dead. */
  noResponders(now: number, linkSince: number): boolean {
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

  /** The worker answered, or the gateway's connection changed. */
  clear(): void {
    this.#firstAt = null;
  }

  /** True once for each suspicion, when the second probe is due. */
  probeDue(now: number): boolean {
    if (this.#firstAt === null || this.#asked || now - this.#firstAt < this.#settings.suspicionMs) return false;
    this.#asked = true;
    return true;
  }
}
