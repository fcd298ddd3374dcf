import { isUtf8 } from 'node:buffer';
import type { CsvColumns } from '@slipway/contracts';
import { ArrayReader } from './bytes/array-reader.js';
import { CsvReader, type CsvSink } from './bytes/csv-reader.js';
import { LineReader, type LineSink } from './bytes/line-reader.js';
import { bytesInWords } from './bytes/plain-bytes.js';
import { badByteOf } from './bytes/utf8.js';
import { TextRules } from './example-checks.js';
import type { ExampleKeeper } from './example-keeper.js';
import { type CanonicalExample, isObject } from './example.js';
import { columnsOf, missingColumn, recordReader } from './formats/csv-columns.js';
import { type JsonFormat, exampleOf } from './formats/formats.js';
import type { Reading } from './formats/reading.js';
import type { IssueLog } from './issue-log.js';
import type { JsonFault } from './json/exact-parser.js';
import { JsonLineParser } from './json/json-line.js';
import { FOUND } from './json/scan.js';
import type { DatasetLimits } from './limits.js';
import { kindOfValue, shown } from './rules.js';

/** What both kinds of checkers need. */
export interface CheckContext {
  readonly log: IssueLog;
  readonly keeper: ExampleKeeper;
  readonly limits: DatasetLimits;
  readonly texts: TextRules;
  /** Takes a refused line. */
  readonly refuse: (line: Buffer | string) => void;
}

/** Cuts a file into records and checks each of them. */
export interface RecordChecker {
  push(chunk: Buffer): void;
  end(): void;
  readonly lines: number;
}

/** Keeps an example, or refuses its line where any rule did. */
function decide(context: CheckContext, example: CanonicalExample | null, line: number, found: number): boolean {
  const { log, keeper, texts } = context;
  if (example && !log.refused) texts.check(example, found);
  if (!example || log.refused) return false;
  keeper.keep(example, line, (found & (FOUND.hidden | FOUND.nonAscii)) === 0);
  return true;
}

/** Checks lines of JSON, or elements of one array. */
export class JsonChecker implements LineSink, RecordChecker {
  blankLines = 0;
  private readonly reader: LineReader | ArrayReader;
  private readonly parser: JsonLineParser;
  private readonly reading: { -readonly [K in keyof Reading]: Reading[K] };

  constructor(
    private readonly context: CheckContext,
    private readonly format: JsonFormat,
    private readonly chosen: boolean,
    asArray: boolean,
  ) {
    const { log, limits } = context;
    this.reader = asArray ? new ArrayReader(this, limits.lineBytes) : new LineReader(this, limits.lineBytes);
    this.parser = new JsonLineParser(limits.depth);
    this.reading = { log, maxDepth: limits.depth, texts: null };
  }

  get lines(): number {
    return this.reader.lines;
  }

  /** What was repaired in the file, as counts. */
  get repaired(): { readonly bom: number; readonly crlf: number; readonly blank_line: number } {
    const reader = this.reader instanceof LineReader ? this.reader : { bom: false, crlfLines: 0 };
    return { bom: Number(reader.bom), crlf: reader.crlfLines, blank_line: this.blankLines };
  }

  push(chunk: Buffer): void {
    this.reader.push(chunk);
  }

  end(): void {
    this.reader.end();
  }

  tooLong(line: number): void {
    this.context.log.begin(line);
    this.context.log.report('line_too_long', '', bytesInWords(this.context.limits.lineBytes));
    this.context.keeper.rejected += 1;
  }

  line(bytes: Buffer, start: number, end: number, line: number): void {
    if (start === end || ((bytes[start] as number) <= 0x20 && bytes.toString('latin1', start, end).trim() === '')) {
      this.blankLines += 1;
      return;
    }
    this.context.log.begin(line);
    if (this.check(bytes, start, end, line)) return;
    this.context.keeper.rejected += 1;
    this.context.refuse(bytes.subarray(start, end));
  }

  private check(bytes: Buffer, start: number, end: number, line: number): boolean {
    const { log } = this.context;
    const found = this.parser.scan(bytes, start, end);
    if (found & FOUND.nonAscii && !isUtf8(bytes.subarray(start, end))) {
      const bad = badByteOf(bytes, start, end);
      log.report('not_utf8', '', bad?.byte ?? 0, bad?.position ?? 0);
      return false;
    }
    const text = found & FOUND.nonAscii ? bytes.toString('utf8', start, end) : bytes.toString('latin1', start, end);
    const json = this.parser.parse(text);
    if (!('value' in json)) {
      reportFault(this.context, json, text, line);
      return false;
    }
    if (!isObject(json.value)) {
      log.report('not_object', '', kindOfValue(json.value));
      return false;
    }
    this.reading.texts = json.texts;
    const example = exampleOf(this.reading, json.value, this.format, this.chosen);
    return decide(this.context, example, line, hiddenInNested(found, text));
  }
}

/** Arguments that are JSON inside of a text escape twice: then characters are hidden, too. */
const hiddenInNested = (found: number, text: string): number =>
  found & FOUND.escape && !(found & FOUND.hidden) && text.includes(String.raw`\\`) ? found | FOUND.hidden : found;

/** Reports a fault of a text at the line and column where it is: elements of an array may go over several lines. */
function reportFault({ log, limits }: CheckContext, fault: JsonFault, text: string, line: number): void {
  const before = text.slice(0, fault.at);
  log.begin(line + before.split('\n').length - 1);
  if (fault.rule === 'duplicate_key') log.report('duplicate_key', '', shown(fault.what));
  else if (fault.rule === 'too_deep') log.report('too_deep', '', limits.depth);
  else log.report('not_json', '', fault.what, Array.from(before.slice(before.lastIndexOf('\n') + 1)).length + 1);
}

const csvText = (fields: readonly string[]): string => fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');

/** Checks records of a CSV file. */
export class CsvChecker implements CsvSink, RecordChecker {
  /** Columns in use; null until the first line was read, and where they cannot be told. */
  columns: CsvColumns | null = null;
  /** The first line does not name the columns that are wanted: nothing can be read. */
  failed = false;
  private header: readonly string[] | null = null;
  private toObject: ReturnType<typeof recordReader> = () => ({});
  private format: JsonFormat = 'prompt_completion';
  private readonly csv: CsvReader;
  private readonly reader: LineReader;
  private headerRefused = false;

  constructor(
    private readonly context: CheckContext,
    private readonly wanted: CsvColumns | undefined,
  ) {
    this.csv = new CsvReader(this, context.limits.lineBytes, () => this.reader.crlf);
    this.reader = new LineReader(this.csv, context.limits.lineBytes);
  }

  get lines(): number {
    return this.reader.lines;
  }

  /** What was repaired in the file, as counts. */
  get repaired(): { readonly bom: number; readonly crlf: number; readonly blank_line: number } {
    return { bom: Number(this.reader.bom), crlf: 0, blank_line: this.csv.blankLines };
  }

  push(chunk: Buffer): void {
    this.reader.push(chunk);
  }

  end(): void {
    this.reader.end();
    this.csv.end();
  }

  record(fields: readonly string[], line: number): void {
    const { log, limits } = this.context;
    log.begin(line);
    if (this.header === null) this.takeHeader(fields);
    else if (this.failed) return;
    else if (fields.length !== this.header.length) {
      log.report('csv_columns', '', fields.length, this.header.length);
      this.refused(fields);
    } else {
      const example = exampleOf({ log, maxDepth: limits.depth, texts: null }, this.toObject(fields), this.format, true);
      // Fields may hold any character, so all are looked at.
      if (!decide(this.context, example, line, FOUND.hidden)) this.refused(fields);
    }
  }

  broken(what: string, line: number, column: number): void {
    this.context.log.begin(line);
    this.context.log.report('not_csv', '', what, column);
    this.context.keeper.rejected += 1;
  }

  tooLong(line: number): void {
    this.context.log.begin(line);
    this.context.log.report('line_too_long', '', bytesInWords(this.context.limits.lineBytes));
    this.context.keeper.rejected += 1;
  }

  notUtf8(bytes: Buffer, start: number, end: number, line: number): void {
    const bad = badByteOf(bytes, start, end);
    this.context.log.begin(line);
    this.context.log.report('not_utf8', '', bad?.byte ?? 0, bad?.position ?? 0);
    this.context.keeper.rejected += 1;
    this.context.refuse(bytes.subarray(start, end));
  }

  private takeHeader(fields: readonly string[]): void {
    this.header = fields;
    this.columns = this.wanted ?? columnsOf(fields);
    const missing = this.columns ? missingColumn(fields, this.columns) : 'prompt';
    if (missing !== null || !this.columns) {
      this.failed = true;
      this.context.log.report('missing_column', '', shown(missing ?? 'prompt'));
      return;
    }
    this.toObject = recordReader(fields, this.columns, this.wanted !== undefined);
    if ('instruction' in this.toObject(fields)) this.format = 'alpaca';
  }

  private refused(fields: readonly string[]): void {
    this.context.keeper.rejected += 1;
    if (!this.headerRefused) this.context.refuse(csvText(this.header ?? []));
    this.headerRefused = true;
    this.context.refuse(csvText(fields));
  }
}
