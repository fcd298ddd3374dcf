import type { StreamEvent, TokenLogprob } from '@slipway/contracts';
import { StopMatcher, WholeCharacters } from '@slipway/engine';
import { CallAssembler } from './call-assembler.js';
import type { ChoiceDelta } from './upstream-chunk.js';

/** Drops the beginning of an answer that a server repeats before it goes on with it; an answer without it stays whole. */
export class EchoStripper {
  #held = '';
  #over: boolean;

  /** @param echo the beginning; '' = nothing is repeated. */
  constructor(private readonly echo: string) {
    this.#over = echo === '';
  }

  /** @returns what is certainly no part of the repetition. */
  push(text: string): string {
    if (this.#over) return text;
    const all = this.#held + text;
    if (all.length < this.echo.length && this.echo.startsWith(all)) {
      this.#held = all;
      return '';
    }
    this.#over = true;
    this.#held = '';
    return all.startsWith(this.echo) ? all.slice(this.echo.length) : all;
  }

  /** The text is over. @returns what was held back. */
  flush(): string {
    const held = this.#held;
    this.#held = '';
    this.#over = true;
    return held;
  }
}

/** What a request asked for, as far as it decides how an answer is read. */
export interface AnswerWishes {
  readonly stops: readonly string[];
  /** The server looks for the stop strings itself and says which it met; else they are looked for here. */
  readonly tellsStop: boolean;
  /** Calls to hand on; null = all. */
  readonly calls: number | null;
  /** Alternatives for each token; null = no probabilities. */
  readonly logprobs: number | null;
  /** The beginning of the answer, which the server repeats although it was given it; '' = it repeats nothing. */
  readonly echo: string;
}

/** Turns what chunks say about one choice into events. */
export class ChoiceRelay {
  readonly #text = new WholeCharacters();
  readonly #think = new WholeCharacters();
  readonly #calls: CallAssembler;
  readonly #matcher: StopMatcher;
  readonly #echo: EchoStripper;
  /** Probabilities of tokens whose text has not been handed on. */
  #pending: TokenLogprob[] = [];
  #finished = false;
  #cut = false;

  constructor(
    private readonly choice: number,
    private readonly wishes: AnswerWishes,
  ) {
    this.#calls = new CallAssembler(choice, wishes.calls ?? Infinity);
    this.#matcher = new StopMatcher(wishes.tellsStop ? [] : wishes.stops);
    this.#echo = new EchoStripper(wishes.echo);
  }

  /** Its `fin` was handed on. */
  get finished(): boolean {
    return this.#finished;
  }

  /** It ended here while the server goes on with it. */
  get cut(): boolean {
    return this.#cut;
  }

  /** @throws ServiceError when a call is broken at the end. */
  take(delta: ChoiceDelta): StreamEvent[] {
    if (this.#finished) return [];
    const events: StreamEvent[] = [];
    this.#takeThought(delta, events);
    const stop = this.#takeText(delta, events);
    if (stop !== null) return this.#endAt(stop, events);
    if (delta.calls.length > 0) events.push(...this.#calls.push(delta.calls));
    if (delta.finish !== null && delta.finish !== 'failed') this.#end(delta, events);
    return events;
  }

  #takeThought({ think }: ChoiceDelta, events: StreamEvent[]): void {
    const whole = think === '' ? '' : this.#think.push(think);
    // One token per piece is a guess: servers join tokens that make up one character, or that arrive together.
    if (whole !== '') events.push({ k: 'think', ...this.#mark(), x: whole, n: 1 });
  }

  /** @returns the stop string that ended the text, or null. */
  #takeText({ text, think, logprobs }: ChoiceDelta, events: StreamEvent[]): string | null {
    // Probabilities that come with reasoning are the reasoning's.
    if (logprobs !== null && (text !== '' || think === '')) this.#keep(logprobs);
    if (text === '') return null;
    const match = this.#matcher.push(this.#echo.push(this.#text.push(text)));
    this.#handOn(match.text, events);
    return match.stop;
  }

  #keep(logprobs: readonly TokenLogprob[]): void {
    const { logprobs: wanted } = this.wishes;
    if (wanted === null) return;
    for (const { top, ...token } of logprobs) this.#pending.push(wanted > 0 && top ? { top: top.slice(0, wanted), ...token } : token);
  }

  #handOn(text: string, events: StreamEvent[]): void {
    if (text === '') return;
    const lp = this.#pending;
    events.push({ k: 'text', ...this.#mark(), x: text, n: 1, ...(lp.length > 0 && { lp }) });
    if (lp.length > 0) this.#pending = [];
  }

  #end({ finish, stop }: ChoiceDelta, events: StreamEvent[]): void {
    this.#handOn(this.#echo.flush() + this.#matcher.flush(), events);
    events.push(...this.#calls.end(finish === 'length'));
    this.#finished = true;
    if (finish === 'length' || finish === 'content_filter') {
      events.push({ k: 'fin', ...this.#mark(), r: finish });
    } else if (stop !== null && this.wishes.stops.includes(stop)) {
      events.push({ k: 'fin', ...this.#mark(), r: 'stop_sequence', stop });
    } else {
      // Some servers say `stop` after calls, and one says `tool_calls` without any.
      events.push({ k: 'fin', ...this.#mark(), r: this.#calls.any ? 'tool_calls' : 'stop' });
    }
  }

  #endAt(stop: string, events: StreamEvent[]): StreamEvent[] {
    events.push(...this.#calls.end(false), { k: 'fin', ...this.#mark(), r: 'stop_sequence', stop });
    this.#finished = true;
    this.#cut = true;
    return events;
  }

  #mark(): { c?: number } {
    return this.choice > 0 ? { c: this.choice } : {};
  }
}
