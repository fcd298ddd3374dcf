import { isUtf8 } from 'node:buffer';
import type { LineSink } from './line-reader.js';

/** Takes the records of a CSV file. */
export interface CsvSink {
  /** One record; `line` is the line on which it begins. */
  record(fields: readonly string[], line: number): void;
  /** `what` is wrong at `column` of `line`: the record is left out. */
  broken(what: string, line: number, column: number): void;
  tooLong(line: number): void;
  notUtf8(bytes: Buffer, start: number, end: number, line: number): void;
}

/** What a file separates its fields with. */
type Delimiter = ',' | ';' | '\t';

const DELIMITERS: readonly Delimiter[] = [',', ';', '\t'];

/** The delimiter of a file: of comma, semicolon and tabulator the most frequent outside of quotes in its first line. */
function delimiterOf(header: string): Delimiter {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

const isAllSpace = (text: string): boolean => /^[ \t]*$/.test(text);

/**
 * Reads records of RFC 4180 from the lines of a file: fields in quotes may hold delimiters, doubled quotes and line breaks, which are
 * kept as they are. The delimiter is found from the first record's line.
 */
export class CsvReader implements LineSink {
  /** Empty lines between records. */
  blankLines = 0;
  private delimiter: Delimiter | null = null;
  private fields: string[] = [];
  /** The open quoted field so far; null = between records. */
  private open: string | null = null;
  private beginsAt = 0;
  private quoteAt = { line: 0, column: 0 };
  private bytes = 0;

  constructor(
    private readonly sink: CsvSink,
    private readonly bound: number,
    /** Whether the line that is handed over ended with CRLF. */
    private readonly crlf: () => boolean,
  ) {}

  line(bytes: Buffer, start: number, end: number, line: number): void {
    const text = bytes.toString('utf8', start, end);
    if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) return this.refuseBytes(bytes, start, end, line);
    if (this.open === null && isAllSpace(text)) {
      this.blankLines += 1;
      return;
    }
    this.bytes += end - start + 1;
    if (this.bytes > this.bound) {
      this.sink.tooLong(this.open === null ? line : this.beginsAt);
      return this.reset();
    }
    this.delimiter ??= delimiterOf(text);
    if (this.open === null) this.beginsAt = line;
    this.take(text, line, this.delimiter);
  }

  tooLong(line: number): void {
    this.sink.tooLong(this.open === null ? line : this.beginsAt);
    this.reset();
  }

  /** The file is at its end: a quote that is open still is a fault of its record. */
  end(): void {
    if (this.open !== null) this.sink.broken('a quote that is never closed', this.quoteAt.line, this.quoteAt.column);
    this.reset();
  }

  private refuseBytes(bytes: Buffer, start: number, end: number, line: number): void {
    this.sink.notUtf8(bytes, start, end, line);
    this.reset();
  }

  private take(text: string, line: number, delimiter: Delimiter): void {
    let at = 0;
    for (;;) {
      const quoted = this.open !== null || text[at] === '"';
      if (quoted && this.open === null) {
        this.open = '';
        this.quoteAt = { line, column: at + 1 };
        at += 1;
      }
      const next = quoted ? this.quoted(text, at, delimiter) : this.bare(text, at, delimiter);
      if (next === null) return;
      if (next < 0) {
        this.sink.broken('text after a closing quote', line, -next);
        return this.reset();
      }
      if (next > text.length) break;
      at = next;
    }
    this.sink.record(this.fields, this.beginsAt);
    this.reset();
  }

  /** Where the next field begins; beyond the text at the end of the record. */
  private bare(text: string, at: number, delimiter: Delimiter): number {
    const end = text.indexOf(delimiter, at);
    this.fields.push(end < 0 ? text.slice(at) : text.slice(at, end));
    return end < 0 ? text.length + 1 : end + 1;
  }

  /** As `bare`; null where the field goes on in the next line, negative the column of what follows a closing quote. */
  private quoted(text: string, from: number, delimiter: Delimiter): number | null {
    let at = from;
    for (;;) {
      const quote = text.indexOf('"', at);
      if (quote < 0) {
        this.open += text.slice(at) + (this.crlf() ? '\r\n' : '\n');
        return null;
      }
      this.open += text.slice(at, quote);
      if (text[quote + 1] !== '"') {
        at = quote + 1;
        break;
      }
      this.open += '"';
      at = quote + 2;
    }
    if (at < text.length && text[at] !== delimiter) return -(at + 1);
    this.fields.push(this.open ?? '');
    this.open = null;
    return at + 1;
  }

  private reset(): void {
    this.fields = [];
    this.open = null;
    this.bytes = 0;
  }
}
