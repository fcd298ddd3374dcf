export interface InterestSettings {
  readonly interestMs: number;
  readonly repeatMs: number;
  readonly ackMs: number;
}

/**
 * Whether one gateway still subscribes, as its worker sees it. A gateway that reconnects is missing for a moment too, so only
 * "no responders" that persists without an acknowledgement in between counts.
 */
export class GatewayInterest {
  #missingSince: number | null = null;
  #missingAt = 0;
  #checkedAt: number;
  #moves = false;
  #acknowledgedAt: number;

  readonly #settings: InterestSettings;

  constructor(settings: InterestSettings, now: number) {
    this.#settings = settings;
    this.#acknowledgedAt = now;
    this.#checkedAt = now;
  }

  /** An acknowledgement arrived. @param moves whether the gateway will connect to another NATS server */
  acknowledged(now: number, moves = false): void {
    this.#acknowledgedAt = now;
    this.#moves = moves;
    this.#missingSince = null;
  }

  /** The server reported no responders. */
  missing(now: number): void {
    this.#missingSince ??= now;
    this.#missingAt = now;
  }

  /** The worker's own connection changed: earlier reports no longer count. */
  forget(now: number): void {
    this.#missingSince = null;
    this.#acknowledgedAt = now;
  }

  /** Time since the last acknowledgement. */
  quietFor(now: number): number {
    return now - this.#acknowledgedAt;
  }

  /** True, at most once each `repeatMs`, when the server should be asked again. */
  checkDue(now: number): boolean {
    const doubt = this.#missingSince !== null || this.quietFor(now) > 1.5 * this.#settings.ackMs;
    if (!doubt || now - this.#checkedAt < this.#settings.repeatMs) return false;
    this.#checkedAt = now;
    return true;
  }

  /** True when the gateway is gone: the report has persisted. One that moves is missing for a while; the lease bounds that. */
  gone(now: number): boolean {
    if (this.#missingSince === null || this.#moves) return false;
    const fresh = now - this.#missingAt <= 2.5 * this.#settings.repeatMs;
    return fresh && now - this.#missingSince >= this.#settings.interestMs;
  }
}
