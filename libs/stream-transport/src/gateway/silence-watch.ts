export interface SilenceSettings {
  readonly silenceMs: number;
  readonly probeMs: number;
}

/**
 * `ask` = silent for long: ask the worker, and the own server, for a sign of life, once; `prove` = the own server still owes
 * one, so nobody else may be judged; `lost` = the own server is well and the worker still says nothing.
 */
export type SilenceVerdict = 'well' | 'ask' | 'prove' | 'lost';

/** Decides from the silence of an accepted attempt, or from a gap that nobody fills, whether its worker is lost. */
export class SilenceWatch {
  #heardAt = 0;
  #askedAt: number | null = null;
  #gapSince: number | null = null;

  readonly #settings: SilenceSettings;

  constructor(settings: SilenceSettings) {
    this.#settings = settings;
  }

  /** A frame came, whatever it says. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#askedAt = null;
  }

  /** Something before what came is missing. */
  gap(now: number): void {
    this.#gapSince ??= now;
  }

  /** The event that was wanted next came. */
  progress(): void {
    this.#gapSince = null;
  }

  /** Nothing that was missed until now counts. */
  restart(now: number): void {
    this.heard(now);
    this.#gapSince = null;
  }

  /** `provenSince` = the newest moment after which the own server is known to have answered. */
  judge(now: number, provenSince: number): SilenceVerdict {
    const { silenceMs, probeMs } = this.#settings;
    if (this.#gapSince !== null && now - this.#gapSince > silenceMs + probeMs) return 'lost';
    if (now - this.#heardAt <= silenceMs) return 'well';
    if (this.#askedAt === null) {
      this.#askedAt = now;
      return 'ask';
    }
    if (now - this.#askedAt < probeMs) return 'well';
    return provenSince >= this.#askedAt ? 'lost' : 'prove';
  }
}
