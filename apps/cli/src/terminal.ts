import { createInterface } from 'node:readline';

export interface Streams {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

const CLEAR_LINE = '\r\u001B[K';

/** Standard streams: answers go to stdout, remarks, status and questions to stderr. */
export class Terminal {
  readonly #streams: Streams;
  #status = '';

  constructor(streams: Streams) {
    this.#streams = streams;
    // A reader that closes its end, such as head, is no fault.
    for (const stream of [streams.stdout, streams.stderr]) stream.on('error', () => undefined);
  }

  /** Whether a person can be asked a question. */
  get interactive(): boolean {
    return this.#streams.stdin.isTTY === true && this.#streams.stderr.isTTY === true;
  }

  /** Resolves once the text is handed over, so that the process may end. */
  print(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#streams.stdout.write(text, () => resolve());
    });
  }

  /** A line for people. */
  note(text: string): Promise<void> {
    this.clearStatus();
    return new Promise((resolve) => {
      this.#streams.stderr.write(`${text}\n`, () => resolve());
    });
  }

  /** Current state; on a terminal a line that the next one replaces. */
  status(text: string): void {
    if (text === this.#status) return;
    this.#status = text;
    this.#streams.stderr.write(this.#streams.stderr.isTTY === true ? `${CLEAR_LINE}${text}` : `${text}\n`);
  }

  clearStatus(): void {
    if (this.#status !== '' && this.#streams.stderr.isTTY === true) this.#streams.stderr.write(CLEAR_LINE);
    this.#status = '';
  }

  /** Asks on stderr and reads one line; empty when the input ends. */
  async ask(question: string): Promise<string> {
    this.clearStatus();
    // Without a terminal of its own readline leaves Ctrl-C to the process.
    const lines = createInterface({ input: this.#streams.stdin, terminal: false });
    this.#streams.stderr.write(question);
    try {
      for await (const line of lines) return line.trim();
      return '';
    } finally {
      lines.close();
    }
  }
}
