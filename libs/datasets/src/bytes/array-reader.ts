import type { LineSink } from './line-reader.js';

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/**
 * Cuts a file that is one JSON array into its elements and hands each over as a line, with the number of the line on which it begins.
 * It finds the ends of elements only; whether they are JSON is for the sink to see.
 */
export class ArrayReader {
  /** Newlines so far, and 1. */
  private line = 1;
  /** Open brackets; 1 = between elements, 0 = outside of the array. */
  private depth = 0;
  private inString = false;
  private escaped = false;
  private element: Buffer = Buffer.alloc(4_096);
  private length = 0;
  private beginsAt = 0;
  private tooLong = false;
  private closed = false;

  constructor(
    private readonly sink: LineSink,
    private readonly bound: number,
  ) {}

  /** Lines that were begun. */
  get lines(): number {
    return this.line;
  }

  /** Takes the next bytes of the file. */
  push(chunk: Buffer): void {
    for (const byte of chunk) {
      this.byte(byte);
      if (byte === LF) this.line += 1;
    }
  }

  /** The file is at its end: an array that is not closed gives its last element as it is. */
  end(): void {
    if (this.beginsAt > 0) this.give();
    else if (!this.closed) this.giveText(']');
  }

  private byte(byte: number): void {
    if (this.inString) {
      this.keep(byte);
      if (this.escaped) this.escaped = false;
      else if (byte === BACKSLASH) this.escaped = true;
      else if (byte === QUOTE) this.inString = false;
    } else if (this.depth === 1 && (byte === COMMA || byte === CLOSE_LIST)) this.between(byte);
    else this.inside(byte);
  }

  /** A comma between elements, or the end of the array. */
  private between(byte: number): void {
    if (byte === CLOSE_LIST) {
      this.depth = 0;
      this.closed = true;
      if (this.beginsAt > 0) this.give();
    } else if (this.beginsAt > 0) this.give();
    else this.giveText(',');
  }

  private inside(byte: number): void {
    if (this.beginsAt === 0 && !this.begins(byte)) return;
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.depth -= 1;
    this.keep(byte);
  }

  /** Whether an element begins. Before the array there may be space and a byte order mark; what follows it is no JSON. */
  private begins(byte: number): boolean {
    if (isSpace(byte)) return false;
    if (this.depth === 0 && !this.closed) {
      if (byte === OPEN_LIST) this.depth = 1;
      return false;
    }
    this.beginsAt = this.line;
    return true;
  }

  private keep(byte: number): void {
    if (this.tooLong) return;
    if (this.length === this.bound) {
      this.tooLong = true;
      this.sink.tooLong(this.beginsAt);
      return;
    }
    if (this.length === this.element.length) this.element = Buffer.concat([this.element], this.element.length * 2);
    this.element[this.length] = byte;
    this.length += 1;
  }

  private give(): void {
    let end = this.length;
    while (end > 0 && isSpace(this.element[end - 1] as number)) end -= 1;
    if (!this.tooLong) this.sink.line(this.element, 0, end, this.beginsAt);
    this.length = 0;
    this.beginsAt = 0;
    this.tooLong = false;
  }

  /** A comma too many, or the end of the file: no element, which is no JSON at this place. */
  private giveText(text: string): void {
    const bytes = Buffer.from(text);
    this.sink.line(bytes, 0, bytes.length, this.line);
  }
}
