import type { StreamEvent, TokenLogprob } from '@slipway/contracts';
import { endsInHalf } from './fields.js';

type CallEvent = Extract<StreamEvent, { k: 'call' }>;
type ArgsEvent = Extract<StreamEvent, { k: 'args' }>;
type SpokenEvent = Extract<StreamEvent, { k: 'text' | 'think' }>;

/** Text or reasoning of an answer. */
export interface SpokenPart {
  readonly kind: 'text' | 'think';
  /** What is not written yet. */
  text: string;
  /** What is written, where it is kept. */
  written: string;
  /** Log probabilities that are not written yet. */
  probabilities: TokenLogprob[];
}

/** A call of an answer, with the JSON of its arguments so far. */
export interface CallPart {
  readonly kind: 'call';
  readonly call: number;
  readonly id: string;
  readonly name: string;
  text: string;
  written: string;
}

/** A visible part of an answer. */
export type AnswerPart = SpokenPart | CallPart;

/** What of an answer a client gets. */
export interface PartRules {
  /** Reasoning is left out. */
  readonly hidesThinking: boolean;
  /** Only the first call is shown. */
  readonly oneCall: boolean;
  /** An id for a call whose own is not unique. */
  readonly newCallId: () => string;
}

/** The arguments of a call as an object; null while they are incomplete or not an object. */
export function argumentsIn({ written, text }: CallPart): Record<string, unknown> | null {
  const json = written + text;
  if (json === '') return {};
  try {
    const input: unknown = JSON.parse(json);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The visible parts of one answer, in order of their start. */
export class AnswerParts {
  readonly list: AnswerPart[] = [];
  readonly #ids = new Set<string>();
  readonly #rules: PartRules;

  constructor(rules: PartRules) {
    this.#rules = rules;
  }

  /** True once the answer has a call, written or not. */
  get hasCalls(): boolean {
    return this.#ids.size > 0;
  }

  add(event: StreamEvent): void {
    if (event.k === 'text' || event.k === 'think') this.#say(event);
    else if (event.k === 'call') this.#call(event);
    else if (event.k === 'args') this.#args(event);
  }

  #say(event: SpokenEvent): void {
    const probabilities = event.k === 'text' ? (event.lp ?? []) : [];
    if ((event.x === '' && probabilities.length === 0) || (event.k === 'think' && this.#rules.hidesThinking)) return;
    const last = this.list.at(-1);
    if (last?.kind !== event.k) {
      this.list.push({ kind: event.k, text: event.x, written: '', probabilities: [...probabilities] });
      return;
    }
    last.text += event.x;
    last.probabilities.push(...probabilities);
  }

  #call({ i, id, name }: CallEvent): void {
    if (this.#rules.oneCall && this.hasCalls) return;
    // Clients match results to calls by id, so ids must be unique.
    const own = this.#ids.has(id) ? this.#rules.newCallId() : id;
    this.#ids.add(own);
    this.list.push({ kind: 'call', call: i, id: own, name, text: '', written: '' });
  }

  /** Adds arguments to their call, even after later parts. */
  #args({ i, x }: ArgsEvent): void {
    const part = this.list.findLast((one) => one.kind === 'call' && one.call === i);
    if (part) part.text += x;
  }
}

/** How a contract writes the parts of a stream. Positions count from 0. */
export interface PartFrames {
  start(part: AnswerPart, at: number): string;
  /** A piece of the part's text; it is not in `part.text` any more. */
  piece(part: AnswerPart, text: string, at: number): string;
  end(part: AnswerPart, at: number): string;
}

export interface PartSequenceOptions extends PartRules {
  /** The text of a part is kept until its end; that of a call always is. */
  readonly keepsText: boolean;
}

/** Writes the parts of an answer one after the other; a later part waits until the earlier ones are complete. */
export class PartSequence {
  readonly #parts: AnswerParts;
  /** Position of the first incomplete part. */
  #at = 0;
  #isOpen = false;

  constructor(
    private readonly options: PartSequenceOptions,
    private readonly frames: PartFrames,
  ) {
    this.#parts = new AnswerParts(options);
  }

  get hasCalls(): boolean {
    return this.#parts.hasCalls;
  }

  /** Parts that have begun. */
  get begun(): number {
    return this.#at + (this.#isOpen ? 1 : 0);
  }

  add(event: StreamEvent): void {
    this.#parts.add(event);
  }

  /** The frames that can be written now. */
  take(): string {
    let frames = '';
    for (;;) {
      const [part, next] = this.#parts.list;
      if (!part) return frames;
      frames += this.#continue(part);
      if (!next || !isComplete(part)) return frames;
      frames += this.#close(part);
    }
  }

  /** The first call whose complete arguments are not an object. */
  brokenCall(): CallPart | undefined {
    return this.#parts.list.find((part): part is CallPart => part.kind === 'call' && argumentsIn(part) === null);
  }

  /** The frames of all remaining parts, complete or not. */
  takeLast(): string {
    let frames = '';
    for (let [part] = this.#parts.list; part; [part] = this.#parts.list) frames += this.#continue(part) + this.#close(part);
    return frames;
  }

  #continue(part: AnswerPart): string {
    const start = this.#isOpen ? '' : this.frames.start(part, this.#at);
    this.#isOpen = true;
    // The low surrogate may still arrive.
    return start + this.#upTo(part, endsInHalf(part.text) ? part.text.length - 1 : part.text.length);
  }

  /** The unwritten text of a part, up to `end`. */
  #upTo(part: AnswerPart, end: number): string {
    if (end === 0) return '';
    const text = part.text.slice(0, end);
    part.text = part.text.slice(end);
    if (part.kind === 'call' || this.options.keepsText) part.written += text;
    return this.frames.piece(part, text, this.#at);
  }

  #close(part: AnswerPart): string {
    const frames = this.#upTo(part, part.text.length) + this.frames.end(part, this.#at);
    this.#parts.list.shift();
    this.#at += 1;
    this.#isOpen = false;
    return frames;
  }
}

/** A call is complete when its arguments are an object. */
const isComplete = (part: AnswerPart): boolean => part.kind !== 'call' || (part.written + part.text !== '' && argumentsIn(part) !== null);
