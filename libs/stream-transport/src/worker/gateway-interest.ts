export interface InterestSettings {
  readonly interestMs: number;
  readonly repeatMs: number;
  readonly ackMs: number;
}

/**
 * Whether one gateway still listens, as its worker sees it. The server tells at once that nobody does, but a gateway
 * that reconnects is missing for a moment too: only a verdict that persists, with no acknowledgement between, counts.
 */
export class GatewayInterest {
  #missingSince: number | null = null;
  #missingAt = 0;
  #checkedAt: number;
  #heardAt: number;

  readonly #settings: InterestSettings;

  constructor(settings: InterestSettings, now: number) {
    this.#settings = settings;
    this.#heardAt = now;
    this.#checkedAt = now;
  }

  /** An acknowledgement came. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#missingSince = null;
  }

  /** The server said that nobody listens. */
  missing(now: number): void {
    this.#missingSince ??= now;
    this.#missingAt = now;
  }

  /** The own connection changed: earlier verdicts mean nothing any more. */
  forget(now: number): void {
    this.#missingSince = null;
    this.#heardAt = now;
  }

  /** Time since the last acknowledgement. */
  quietFor(now: number): number {
    return now - this.#heardAt;
  }

  /** True, at most each `repeatMs`, when the server should be asked again whether anybody listens. */
  checkDue(now: number): boolean {
    const doubt = this.#missingSince !== null || this.quietFor(now) > 1.5 * this.#settings.ackMs;
    if (!doubt || now - this.#checkedAt < this.#settings.repeatMs) return false;
    this.#checkedAt = now;
    return true;
  }

  /** True when the verdict has persisted: the gateway is gone. */
  gone(now: number): boolean {
    if (this.#missingSince === null) return false;
    const fresh = now - this.#missingAt <= 2.5 * this.#settings.repeatMs;
    return fresh && now - this.#missingSince >= this.#settings.interestMs;
  }
}
