export interface SilenceSettings {
  readonly silenceMs: number;
  readonly probeMs: number;
}

/**
 * `ask` = silent for too long: probe the worker and ping the NATS server, once. `prove` = the server has not answered yet, so
 * the worker's silence proves nothing. `lost` = the server answers and the worker still does not.
 */
export type SilenceVerdict = 'well' | 'ask' | 'prove' | 'lost';

/** Decides from silence, or from a gap that no replay fills, whether an accepted attempt is lost. */
export class SilenceWatch {
  #lastFrameAt = 0;
  #askedAt: number | null = null;
  #gapSince: number | null = null;

  readonly #settings: SilenceSettings;

  constructor(settings: SilenceSettings) {
    this.#settings = settings;
  }

  /** A frame of any kind arrived. */
  frameReceived(now: number): void {
    this.#lastFrameAt = now;
    this.#askedAt = null;
  }

  /** A frame arrived ahead of missing ones. */
  gap(now: number): void {
    this.#gapSince ??= now;
  }

  /** The next event in order arrived. */
  progress(): void {
    this.#gapSince = null;
  }

  /** Restarts the silence and gap timeouts. */
  restart(now: number): void {
    this.frameReceived(now);
    this.#gapSince = null;
  }

  /** `provenSince` = when the newest ping was sent that the NATS server has answered. */
  judge(now: number, provenSince: number): SilenceVerdict {
    const { silenceMs, probeMs } = this.#settings;
    if (this.#gapSince !== null && now - this.#gapSince > silenceMs + probeMs) return 'lost';
    if (now - this.#lastFrameAt <= silenceMs) return 'well';
    if (this.#askedAt === null) {
      this.#askedAt = now;
      return 'ask';
    }
    if (now - this.#askedAt < probeMs) return 'well';
    return provenSince >= this.#askedAt ? 'lost' : 'prove';
  }
}
