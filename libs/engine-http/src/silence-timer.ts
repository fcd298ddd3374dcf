/** Calls back once when nothing happened for a while. */
export class SilenceTimer {
  #timer: NodeJS.Timeout;

  constructor(
    ms: number,
    private readonly onSilence: (ms: number) => void,
  ) {
    this.#timer = this.#arm(ms);
  }

  /** Something happened: the time starts anew. */
  heard(): void {
    this.#timer.refresh();
  }

  /** From now on another time counts. */
  restart(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#arm(ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.onSilence(ms), ms);
  }
}
