import type { CsvColumns, DatasetFormat } from '@slipway/contracts';
import { ArrayReader } from './bytes/array-reader.js';
import { CsvReader } from './bytes/csv-reader.js';
import { LineReader } from './bytes/line-reader.js';
import { isObject } from './example.js';
import { columnsOf, isHeader } from './formats/csv-columns.js';
import { type JsonFormat, formatsOf } from './formats/formats.js';
import { DATASET_LIMITS } from './limits.js';

/** Lines that decide the format. */
export const DECIDING_LINES = 100;

/** What the first lines of a file look like. */
export interface DetectedFormat {
  /** The format that most of the first 100 lines fit; null = none fits. */
  readonly format: DatasetFormat | null;
  /** The file is one JSON array of such objects. */
  readonly array: boolean;
  /** Names in the first line of a CSV file; empty for other formats. */
  readonly header: readonly string[];
  /** Columns that the names suggest; null for other formats, and where none fit. */
  readonly columns: CsvColumns | null;
}

const NOTHING: DetectedFormat = { format: null, array: false, header: [], columns: null };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The first lines that are not blank; with `asArray` the first elements. */
function texts(head: Buffer, asArray: boolean): string[] {
  const found: string[] = [];
  const sink = {
    line: (bytes: Buffer, start: number, end: number) => {
      const text = found.length < DECIDING_LINES ? bytes.toString('utf8', start, end).trim() : '';
      if (text !== '') found.push(text);
    },
    tooLong: () => undefined,
  };
  const reader = new (asArray ? ArrayReader : LineReader)(sink, DATASET_LIMITS.lineBytes);
  reader.push(head);
  reader.end();
  return found;
}

function mostOf(values: readonly unknown[]): JsonFormat | null {
  const votes = new Map<JsonFormat, number>();
  for (const value of values) {
    const [format] = isObject(value) ? formatsOf(value) : [];
    if (format) votes.set(format, (votes.get(format) ?? 0) + 1);
  }
  return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/** The names in the first line of a CSV file; empty where it is none. */
function headerOf(head: Buffer): string[] {
  const records: (readonly string[])[] = [];
  const nothing = (): void => undefined;
  const csv = new CsvReader(
    { record: (fields) => records.push(fields), broken: nothing, tooLong: nothing, notUtf8: nothing },
    DATASET_LIMITS.lineBytes,
    () => false,
  );
  const lines = new LineReader(csv, DATASET_LIMITS.lineBytes);
  lines.push(head);
  lines.end();
  const [first = []] = records;
  return isHeader(first) ? [...first] : [];
}

/** Whether a file that begins with a bracket is one array: not so where every line is an array of its own. */
function isOneArray(lines: readonly string[]): boolean {
  const [first = '', second] = lines;
  return first.startsWith('[') && (second === undefined || parsed(first) === undefined);
}

/** Finds the format of a file from its beginning, decompressed: 100 lines, or as many as there are, are looked at. */
export function detectFormat(head: Uint8Array): DetectedFormat {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const lines = texts(bytes, false);
  const [first] = lines;
  const array = isOneArray(lines) || (first === undefined && /^(?:\ufeff)?\s*\[/.test(bytes.toString('utf8', 0, 64)));
  if (array) return { ...NOTHING, format: mostOf(texts(bytes, true).map(parsed)), array };
  const format = mostOf(lines.map(parsed));
  if (format || first === undefined || /^[{[]/.test(first)) return { ...NOTHING, format };
  const header = headerOf(bytes);
  return header.length === 0 ? NOTHING : { ...NOTHING, format: 'csv', header, columns: columnsOf(header) };
}
