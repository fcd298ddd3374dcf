import { StringDecoder } from 'node:string_decoder';

const MAX_LINE_CHARS = 4_000;

/** Cuts a byte stream into lines. Overlong ones come cut, empty ones not at all. */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n/);
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE_CHARS);
    for (const line of lines) if (line.trim() !== '') this.onLine(line.slice(0, MAX_LINE_CHARS));
  }
}
