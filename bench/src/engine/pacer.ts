import { machineMicros } from './machine-clock.js';

/** Calls back until it returns false. `dueUs` = when the call was due, on the machine's clock. */
export type Beat = (dueUs: number) => boolean;

interface Entry {
  dueUs: number;
  readonly gapUs: number;
  readonly beat: Beat;
}

const SLOTS = 4_096;

/** Calls many callbacks at steady distances, by the clock and with one timer: a late call delays none of the next. */
export class Pacer {
  readonly #slots: Entry[][] = Array.from({ length: SLOTS }, () => []);
  readonly #timer: NodeJS.Timeout;
  /** Millisecond up to which everything was called. */
  #served = Math.floor(machineMicros() / 1_000);

  constructor() {
    this.#timer = setInterval(() => this.#turn(), 1);
  }

  add(firstUs: number, gapMs: number, beat: Beat): void {
    this.#put({ dueUs: firstUs, gapUs: gapMs * 1_000, beat });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #put(entry: Entry): void {
    const ms = Math.max(this.#served + 1, Math.ceil(entry.dueUs / 1_000));
    this.#slots[ms % SLOTS]?.push(entry);
  }

  #turn(): void {
    const now = Math.floor(machineMicros() / 1_000);
    while (this.#served < now) {
      const ms = this.#served + 1;
      const slot = this.#slots[ms % SLOTS] ?? [];
      this.#served = ms;
      if (slot.length > 0) this.#serve(slot.splice(0), ms);
    }
  }

  #serve(entries: readonly Entry[], ms: number): void {
    for (const entry of entries) {
      // A slot comes round every four seconds: what is due later waits for its turn.
      if (Math.ceil(entry.dueUs / 1_000) > ms) this.#slots[ms % SLOTS]?.push(entry);
      else if (entry.beat(entry.dueUs)) {
        entry.dueUs += entry.gapUs;
        this.#put(entry);
      }
    }
  }
}
