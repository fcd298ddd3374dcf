import type { Tool } from '@slipway/contracts';
import { AnswerText, type Reading } from './answer-text.js';
import type { CallFamily, CallSink } from './call-family.js';

/** Finds the calls in an answer that arrives in pieces; where the pieces end does not matter. */
export class CallReader {
  readonly #text = new AnswerText();
  readonly #reading: Reading<void>;

  constructor(family: CallFamily, sink: CallSink, tools: readonly Tool[]) {
    this.#reading = this.#read(family, sink, tools);
    this.#reading.next();
  }

  /** Characters that wait for what comes next. */
  get held(): number {
    return this.#text.held;
  }

  /** Whether what is read now stands behind a mark of calls, and is a call or turns out to be none. */
  get inside(): boolean {
    return this.#text.inside;
  }

  /** What was read of a call whose name is not known yet, its mark included; '' = nothing. */
  get beginning(): string {
    return this.#text.kept;
  }

  push(piece: string): void {
    this.#text.add(piece);
    this.#reading.next();
  }

  /** The answer is over. */
  end(): void {
    this.#text.end();
    this.#reading.next();
  }

  *#read(family: CallFamily, sink: CallSink, tools: readonly Tool[]): Reading<void> {
    yield* family.read(this.#text, sink, tools);
    // Behind a call that is broken nothing has a meaning.
    yield* this.#text.until([], () => undefined);
  }
}
