import type { StreamEvent, TokenLogprob, Tool } from '@slipway/contracts';
import { StopMatcher, Utf8Assembler } from '@slipway/engine';
import type { Token } from 'node-llama-cpp';
import { CallEvents } from './call-events.js';
import { LogprobLedger } from './logprob-ledger.js';
import { type ReasoningMarks, ReasoningSplitter } from './reasoning-splitter.js';
import { StepEvents } from './step-events.js';
import type { TokenBytes } from './token-bytes.js';
import type { CallFamily } from './tool-calls/call-family.js';
import { CallReader } from './tool-calls/call-reader.js';

/** Parts and ends of an answer. */
export interface AnswerSpec {
  /** The caller's stop strings. They end text, not reasoning and not arguments. */
  readonly stop: readonly string[];
  /** End marks of the template: an answer ends there as if the model had ended it. */
  readonly ends: readonly string[];
  readonly maxTokens: number;
  /** Only the limit ends the answer before this many tokens. */
  readonly minTokens?: number;
  /** Null = the model does not reason, or continues an answer. `opened` = the prompt ends within reasoning. */
  readonly reasoning: { readonly marks: ReasoningMarks; readonly opened: boolean } | null;
  /** Null = calls are not detected. `single` = the answer ends after the first call. */
  readonly calls: { readonly family: CallFamily; readonly tools: readonly Tool[]; readonly single: boolean } | null;
}

/**
 * Turns the tokens of one choice into events. Every token is counted in exactly one event: tokens whose text is held
 * back (an incomplete character, a possible stop string or mark) are counted in the event that releases the text.
 */
export class AnswerWriter {
  readonly #utf8 = new Utf8Assembler();
  readonly #ends: StopMatcher;
  readonly #stops: StopMatcher;
  readonly #reasoning: ReasoningSplitter | null;
  readonly #reader: CallReader | null;
  readonly #calls: CallEvents | null;
  readonly #ledger = new LogprobLedger();
  readonly #step: StepEvents;
  readonly #generated: Token[] = [];
  #stop: string | null = null;
  #counted = 0;
  #uncounted = 0;
  #reasoned = 0;
  #answered = false;
  #silent = false;

  constructor(
    private readonly bytes: TokenBytes,
    private readonly spec: AnswerSpec,
    private readonly choice: number,
    private readonly emit: (events: readonly StreamEvent[]) => void,
  ) {
    const { stop, ends, reasoning, calls } = spec;
    this.#ends = new StopMatcher(ends);
    this.#stops = new StopMatcher(stop);
    this.#step = new StepEvents(choice);
    this.#calls =
      calls &&
      new CallEvents(this.#step, (text, last) => this.#text(text, last), { idLength: calls.family.idLength, single: calls.single });
    this.#reader = calls && this.#calls && new CallReader(calls.family, this.#calls, calls.tools);
    const parts = { think: (text: string) => this.#step.think(text), answer: (text: string) => this.#answer(text) };
    this.#reasoning = reasoning && new ReasoningSplitter(reasoning.marks, reasoning.opened, parts);
  }

  /** Tokens so far, including an end token. */
  get tokens(): number {
    return this.#counted + this.#uncounted;
  }

  /** Tokens of reasoning. */
  get reasoned(): number {
    return this.#reasoned;
  }

  /** Generated tokens, for penalties. */
  get generated(): readonly Token[] {
    return this.#generated;
  }

  /** Whether the answer is still in its reasoning. */
  get thinking(): boolean {
    return this.#reasoning?.thinking ?? false;
  }

  /** Whether the answer has begun, reasoning aside. */
  get answered(): boolean {
    return this.#answered;
  }

  /** Whether some token wrote nothing. Grammars read the names of such tokens as text. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Adds a token of the answer. @returns true when the answer is finished. */
  write(token: Token, logprob?: TokenLogprob): boolean {
    this.#uncounted += 1;
    const piece = this.#written(token);
    if (logprob) this.#ledger.add(logprob, piece.length);
    const { text, stop } = this.#mayEnd ? this.#ends.push(piece) : { text: piece, stop: null };
    this.#push(text);
    if (this.#stop !== null) return this.#finish({ r: 'stop_sequence', stop: this.#stop });
    if (stop !== null) return this.#over({ r: 'stop' });
    if (this.#mayEnd && this.spec.calls?.single === true && this.#calls?.complete === 1) return this.#over({ r: 'stop' });
    if (this.tokens >= this.spec.maxTokens) {
      // Bytes of an incomplete character are dropped.
      this.#push(this.#ends.flush());
      return this.#over({ r: 'length' });
    }
    this.#settle();
    return false;
  }

  /**
   * Adds the model's end token, which counts, as with other servers, and writes nothing.
   * @throws ServiceError `engine_error` when a call is incomplete.
   */
  end(): void {
    this.#uncounted += 1;
    this.#push(this.#ends.flush());
    this.#over({ r: 'stop' });
  }

  /** The complete characters that a token writes. */
  #written(token: Token): string {
    const bytes = this.bytes.of(token, this.#generated);
    this.#silent ||= bytes.length === 0;
    this.#generated.push(token);
    return this.#utf8.push(bytes);
  }

  /** Emits the events of this step. A step without events wrote no text, so its log probabilities are dropped. */
  #settle(): void {
    if (!this.#step.empty) this.#flush();
    else if (!this.#ledger.empty) this.#ledger.drop(this.#held());
  }

  /** Whether the least number of tokens is reached. */
  get #mayEnd(): boolean {
    return this.tokens >= (this.spec.minTokens ?? 0);
  }

  #push(text: string): void {
    if (text === '') return;
    if (this.#reasoning) this.#reasoning.push(text);
    else this.#answer(text);
  }

  #answer(text: string): void {
    this.#answered = true;
    if (this.#reader) this.#reader.push(text);
    else this.#text(text, false);
  }

  /** @param last whether this stretch of text has ended, so that no stop string can continue after it. */
  #text(text: string, last: boolean): void {
    if (this.#stop !== null) return;
    if (!this.#mayEnd) return this.#step.text(text);
    const match = this.#stops.push(text);
    this.#stop = match.stop;
    this.#step.text(match.text + (last ? this.#stops.flush() : ''));
    if (match.stop !== null) this.#step.close();
  }

  /** Ends the answer and releases held text. */
  #over({ r }: { r: 'stop' | 'length' }): true {
    this.#reasoning?.end();
    this.#reader?.end();
    this.#calls?.end(r === 'length');
    if (this.#stop !== null) return this.#finish({ r: 'stop_sequence', stop: this.#stop });
    this.#step.text(this.#stops.flush());
    return this.#finish({ r: r === 'stop' && (this.#calls?.begun ?? 0) > 0 ? 'tool_calls' : r });
  }

  #finish(fin: { r: 'stop' | 'length' | 'tool_calls' } | { r: 'stop_sequence'; stop: string }): true {
    this.#flush({ k: 'fin', ...(this.choice > 0 && { c: this.choice }), ...fin });
    return true;
  }

  #flush(fin?: StreamEvent): void {
    const events = this.#step.take(this.#uncounted, this.#logprobs(fin !== undefined));
    if (events[0]?.k === 'think') this.#reasoned += this.#uncounted;
    this.#counted += this.#uncounted;
    this.#uncounted = 0;
    this.emit(fin ? [...events, fin] : events);
  }

  /** Log probabilities of the text in this step; of the last step also those of a character that stays incomplete. */
  #logprobs(last: boolean): TokenLogprob[] {
    const { chars, mixed } = this.#step;
    if (mixed) this.#ledger.rest();
    if (this.#stop !== null) return this.#ledger.within(chars);
    const released = this.#ledger.released(chars, this.#held());
    return last ? [...released, ...this.#ledger.rest()] : released;
  }

  #held(): number {
    const parts = [this.#ends, this.#stops, this.#reasoning, this.#reader, this.#calls];
    return parts.reduce((sum, part) => sum + (part?.held ?? 0), 0);
  }
}
