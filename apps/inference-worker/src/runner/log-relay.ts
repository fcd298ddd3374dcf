import { MAX_LOG_BATCH } from './runner-messages.js';

/** Batches on their way to an agent that may have stopped reading. */
const MAX_UNSENT = 20;
const MAX_LINE_CHARS = 4_000;

/** Brings a runner's log lines to its agent without ever waiting for it; an agent that reads nothing loses lines. */
export class LogRelay {
  #lines: string[] = [];
  #unsent = 0;
  #due = false;

  /** @param send calls back when the lines have left this process, or never will. */
  constructor(private readonly send: (lines: string[], sent: () => void) => void) {}

  /** Takes one line. */
  readonly write = (line: string): void => {
    if (this.#lines.length < MAX_LOG_BATCH && line.length <= MAX_LINE_CHARS) this.#lines.push(line);
    if (this.#due) return;
    this.#due = true;
    setImmediate(() => this.flush(() => undefined));
  };

  /** Sends what there is. @param done is called when it has left this process. */
  flush(done: () => void): void {
    this.#due = false;
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length === 0 || this.#unsent >= MAX_UNSENT) return done();
    this.#unsent += 1;
    this.send(lines, () => {
      this.#unsent -= 1;
      done();
    });
  }
}
