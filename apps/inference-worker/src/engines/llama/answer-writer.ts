import type { StreamEvent } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import type { EngineOutput } from '../engine.js';
import { StopMatcher } from '../stop-matcher.js';
import type { TokenBytes } from './token-bytes.js';
import { Utf8Assembler } from './utf8-assembler.js';

export interface AnswerStops {
  /** The caller's stop strings. */
  readonly requested: readonly string[];
  /** End marks of the template; an answer that meets one has simply ended. */
  readonly template: readonly string[];
}

/**
 * Turns generated tokens into events. Every token is counted in exactly one event: tokens whose text waits (for
 * the rest of a character, or because it may become a stop string) are counted in the event that sets it free.
 */
export class AnswerWriter {
  readonly #utf8 = new Utf8Assembler();
  readonly #matcher: StopMatcher;
  readonly #generated: Token[] = [];
  #counted = 0;
  #uncounted = 0;

  constructor(
    private readonly bytes: TokenBytes,
    private readonly stops: AnswerStops,
    private readonly maxTokens: number,
    private readonly output: EngineOutput,
  ) {
    this.#matcher = new StopMatcher([...stops.requested, ...stops.template]);
  }

  /** Tokens so far, an end token included. */
  get tokens(): number {
    return this.#counted + this.#uncounted;
  }

  /** Tokens that wrote something; penalties look at them. */
  get generated(): readonly Token[] {
    return this.#generated;
  }

  /** Takes a token that is part of the text. @returns true when the answer is finished: by a stop string, or because no more tokens fit. */
  write(token: Token): boolean {
    this.#uncounted += 1;
    const { text, stop } = this.#matcher.push(this.#utf8.push(this.bytes.of(token, this.#generated)));
    this.#generated.push(token);
    if (stop !== null) {
      const asked = this.stops.requested.includes(stop);
      this.#emit(text, asked ? { k: 'fin', r: 'stop_sequence', stop } : { k: 'fin', r: 'stop' });
      return true;
    }
    if (this.tokens >= this.maxTokens) {
      // Bytes of a character that is not complete are dropped.
      this.#emit(text + this.#matcher.flush(), { k: 'fin', r: 'length' });
      return true;
    }
    if (text !== '') this.#emit(text);
    return false;
  }

  /** Takes the token with which the model ended its turn; it counts, as it does with other servers, and writes nothing. */
  end(): void {
    this.#uncounted += 1;
    this.#emit(this.#matcher.flush(), { k: 'fin', r: 'stop' });
  }

  #emit(text: string, fin?: StreamEvent): void {
    const events: StreamEvent[] = text === '' && this.#uncounted === 0 ? [] : [{ k: 'text', x: text, n: this.#uncounted }];
    this.#counted += this.#uncounted;
    this.#uncounted = 0;
    this.output.events(fin ? [...events, fin] : events);
  }
}
