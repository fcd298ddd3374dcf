import { AnswerText, type Reading } from './tool-calls/answer-text.js';

/** Marks before and after a model's reasoning. */
export interface ReasoningMarks {
  readonly open: string;
  readonly close: string;
  /** Further marks that end it and belong to the answer. */
  readonly until?: readonly string[];
  /** Reasoning may occur again later in the answer. */
  readonly again?: true;
}

/** Receives the two parts of an answer. */
export interface ReasoningSink {
  think(text: string): void;
  answer(text: string): void;
}

/**
 * Separates reasoning from the answer: at its beginning, and later only where `again` is set. Removes the marks and the white space
 * around them. Any other mark is text.
 */
export class ReasoningSplitter {
  readonly #text = new AnswerText();
  readonly #reading: Reading<void>;
  #thinking: boolean;

  /** @param opened whether the prompt ends within the reasoning already. */
  constructor(
    private readonly marks: ReasoningMarks,
    opened: boolean,
    private readonly sink: ReasoningSink,
  ) {
    this.#thinking = opened;
    this.#reading = this.#read();
    this.#reading.next();
  }

  /** Whether what comes next is reasoning. */
  get thinking(): boolean {
    return this.#thinking;
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

  *#read(): Reading<void> {
    const text = this.#text;
    text.keep(0);
    yield* text.skipSpace();
    const marked = yield* text.literal(this.marks.open);
    if (marked || this.#thinking) yield* this.#reason();
    else text.rewind(0);
    while (this.marks.again) {
      if ((yield* text.until([this.marks.open], (piece) => this.sink.answer(piece))) === null) return;
      yield* this.#reason();
    }
    yield* text.until([], (piece) => this.sink.answer(piece));
  }

  *#reason(): Reading<void> {
    const text = this.#text;
    this.#thinking = true;
    yield* text.skipSpace();
    text.release();
    let space = '';
    const closed = yield* text.until([this.marks.close, ...(this.marks.until ?? [])], (piece) => {
      const core = piece.trimEnd();
      if (core !== '') this.sink.think(space + core);
      space = core === '' ? space + piece : piece.slice(core.length);
    });
    if (closed === null) return;
    this.#thinking = false;
    if (closed === this.marks.close) yield* text.skipSpace();
    else this.sink.answer(closed);
  }
}

/** Whether a prompt ends within reasoning that the template began. */
export const endsInReasoning = (prompt: string, { open }: ReasoningMarks): boolean => prompt.trimEnd().endsWith(open);
