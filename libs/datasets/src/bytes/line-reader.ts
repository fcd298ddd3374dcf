/** Takes the lines of a file. */
export interface LineSink {
  /** One line, without its end, as a part of `bytes` that is valid during the call. `line` counts from 1. */
  line(bytes: Buffer, start: number, end: number, line: number): void;
  /** A line beyond the bound was begun; its bytes are read past. */
  tooLong(line: number): void;
}

const LF = 0x0a;
const CR = 0x0d;

const startsWithBom = (bytes: Buffer, start: number, end: number): boolean =>
  end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;

/**
 * Cuts a file into lines at LF or CRLF. Keeps at most `bound` bytes: what is longer is not buffered. A byte order mark before the
 * first line is left out.
 */
export class LineReader {
  /** Lines that were begun. */
  lines = 0;
  bom = false;
  /** Lines that ended with CRLF. */
  crlfLines = 0;
  /** Whether the line that is being handed over ended with CRLF. */
  crlf = false;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  /** The rest of the present line is read past. */
  private skipping = false;

  constructor(
    private readonly sink: LineSink,
    private readonly bound: number,
  ) {}

  /** Takes the next bytes of the file. */
  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(LF, start);
      if (newline < 0) break;
      this.endLine(chunk, start, newline);
      start = newline + 1;
    }
    if (start < chunk.length) this.keep(chunk, start);
  }

  /** The file is at its end: hands over a last line without a newline. */
  end(): void {
    if (this.skipping || this.pendingBytes > 0) this.endLine(Buffer.alloc(0), 0, 0);
  }

  private endLine(chunk: Buffer, start: number, end: number): void {
    if (this.skipping) {
      this.skipping = false;
      return;
    }
    if (this.pendingBytes === 0) this.give(chunk, start, end);
    else {
      const whole = Buffer.concat([...this.pending, chunk.subarray(start, end)]);
      this.forget();
      this.give(whole, 0, whole.length);
    }
  }

  private give(bytes: Buffer, start: number, end: number): void {
    this.lines += 1;
    let [first, last] = [start, end];
    this.crlf = last > first && bytes[last - 1] === CR;
    if (this.crlf) {
      this.crlfLines += 1;
      last -= 1;
    }
    if (this.lines === 1 && startsWithBom(bytes, first, last)) {
      this.bom = true;
      first += 3;
    }
    if (last - first > this.bound) this.sink.tooLong(this.lines);
    else this.sink.line(bytes, first, last, this.lines);
  }

  private keep(chunk: Buffer, start: number): void {
    if (this.skipping) return;
    const rest = chunk.length - start;
    // Beside the bound, a line may hold a byte order mark and a CR.
    if (this.pendingBytes + rest > this.bound + 4) {
      this.forget();
      this.skipping = true;
      this.lines += 1;
      this.sink.tooLong(this.lines);
      return;
    }
    this.pending.push(Buffer.from(chunk.subarray(start)));
    this.pendingBytes += rest;
  }

  private forget(): void {
    this.pending = [];
    this.pendingBytes = 0;
  }
}
