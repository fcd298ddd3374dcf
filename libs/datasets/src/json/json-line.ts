import { type ExactJson, type JsonFault, parseExactly } from './exact-parser.js';
import { FOUND, JsonScan } from './scan.js';

/** A line as JSON, or what is wrong with it. */
export type JsonLine = { readonly value: unknown; readonly texts: ExactJson['texts'] | null } | JsonFault;

/**
 * Parses lines of JSON: by `JSON.parse` where a scan shows that this loses nothing, else by the exact parser, which is several times
 * slower. The bytes must be UTF-8.
 */
export class JsonLineParser {
  private readonly scanner: JsonScan;

  constructor(private readonly maxDepth: number) {
    this.scanner = new JsonScan(maxDepth);
  }

  /** What the scan found in the last line, as bits of `FOUND`. */
  get found(): number {
    return this.scanner.found;
  }

  /** Looks at a line; the bits of `FOUND`. Comes before `parse`. */
  scan(bytes: Buffer, start: number, end: number): number {
    return this.scanner.scan(bytes, start, end);
  }

  /** Parses the text of the line that was scanned last. */
  parse(text: string): JsonLine {
    if (this.found & FOUND.tooDeep) return { rule: 'too_deep', what: '', at: 0 };
    if (this.found & FOUND.unfaithful) return parseExactly(text, this.maxDepth);
    try {
      return { value: JSON.parse(text) as unknown, texts: null };
    } catch {
      return parseExactly(text, this.maxDepth);
    }
  }
}
