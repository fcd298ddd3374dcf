import type { Tool } from '@slipway/contracts';
import { AnswerText, type Reading } from './answer-text.js';
import type { CallFamily, CallFinder, CallSink } from './call-family.js';

/** Finds the calls of offered tools in an answer that arrives in arbitrary pieces. */
export class CallReader {
  readonly #text = new AnswerText();
  readonly #reading: Reading<void>;

  constructor(family: CallFamily, sink: CallSink, tools: readonly Tool[]) {
    this.#reading = this.#read(family, sink, tools);
    this.#reading.next();
  }

  /** Characters held back until more text arrives. */
  get held(): number {
    return this.#text.held;
  }

  push(piece: string): void {
    this.#text.add(piece);
    this.#reading.next();
  }

  /** Ends the answer. */
  end(): void {
    this.#text.end();
    this.#reading.next();
  }

  *#read(family: CallFamily, sink: CallSink, tools: readonly Tool[]): Reading<void> {
    const offered = new Set(tools.map(({ name }) => name));
    const finder: CallFinder = {
      text: (text) => sink.text(text),
      begin: (name, id) => sink.begin(name, id),
      args: (text) => sink.args(text),
      close: () => sink.close(),
      broken: () => sink.broken(),
      offers: (name) => offered.has(name),
    };
    yield* family.read(this.#text, finder, tools);
    // Text after an invalid call is dropped.
    yield* this.#text.until([], () => undefined);
  }
}
