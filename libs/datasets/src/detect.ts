import type { CsvColumns, DatasetFormat } from '@slipway/contracts';

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

/** Finds the format of a file from its beginning, decompressed: 100 lines, or as many as there are, are looked at. */
export function detectFormat(head: Uint8Array): DetectedFormat {
  throw new Error(`not built: ${head.length}`);
}
