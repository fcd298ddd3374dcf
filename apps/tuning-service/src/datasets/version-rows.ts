import type { DatasetId, DatasetRepair, FileReading, IssueTotal, VersionView } from '@slipway/contracts';
import type { z } from 'zod';
import { type ActorColumns, changedBy } from '../actor-columns.js';

/** How a file is read. */
export type Reading = { readonly [name in keyof typeof FileReading]?: z.output<(typeof FileReading)[name]> };

/** The fields of a request that say how a file is read, in one order, so that equal readings are equal texts. */
export const readingOf = ({ format, columns, repairs }: Reading): Reading => ({
  ...(format !== undefined && { format }),
  ...(columns !== undefined && { columns }),
  ...(repairs !== undefined && repairs.length > 0 && { repairs: [...new Set(repairs)].toSorted() }),
});

/** A row of `dataset_version`, with numbers in place of the driver's texts. */
export interface VersionRow extends ActorColumns {
  readonly dataset_id: DatasetId;
  readonly account: number;
  readonly number: number;
  readonly state: VersionView['state'];
  readonly parent: number | null;
  readonly origin: VersionView['origin'];
  readonly format: VersionView['format'];
  readonly reading: Reading;
  readonly url: string | null;
  readonly original: string | null;
  readonly original_bytes: number;
  readonly canonical: string | null;
  readonly rejected_blob: string | null;
  readonly line_index: string | null;
  readonly bytes: number;
  readonly examples: number;
  readonly rejected: number;
  readonly duplicates: number;
  readonly progress: number | null;
  readonly tries: number;
  readonly statistics: VersionView['statistics'];
  readonly repairs: DatasetRepair[];
  readonly reason: string | null;
  readonly detail: string | null;
  readonly created_at: Date;
}

const BIG = ['original_bytes', 'bytes'];
const PLAIN = [
  ...['dataset_id', 'account', 'number', 'state', 'parent', 'origin', 'format', 'reading', 'url', 'original', 'canonical'],
  ...['rejected_blob', 'line_index', 'examples', 'rejected', 'duplicates', 'progress', 'tries', 'statistics', 'repairs'],
  ...['reason', 'detail', 'actor', 'actor_id', 'actor_name', 'created_at'],
];

/** Columns of a `VersionRow`, of the table `v`. */
export const VERSION_COLUMNS = [...PLAIN.map((name) => `v.${name}`), ...BIG.map((name) => `v.${name}::float8 AS ${name}`)].join(', ');

/** Identifies a version in `blob_use`. */
export const versionOwner = ({ dataset_id, number }: Pick<VersionRow, 'dataset_id' | 'number'>): string =>
  `version:${dataset_id}/${number}`;

/** A version as people see it. @param totals its issues by rule */
export const versionView = (row: VersionRow, totals: readonly IssueTotal[]): VersionView => ({
  number: row.number,
  state: row.state,
  reason: row.reason,
  detail: row.detail,
  parent: row.parent,
  origin: row.origin,
  format: row.format,
  bytes: row.state === 'ready' ? row.bytes : row.original_bytes,
  sha256: row.canonical,
  examples: row.examples,
  rejected: row.rejected,
  duplicates: row.duplicates,
  progress: row.progress,
  issues: [...totals],
  repairs: row.repairs,
  statistics: row.statistics,
  created_by: changedBy(row),
  created_at: row.created_at.toISOString(),
});

/** The same for an MCP key that may read no figures. */
export const withoutFigures = (view: VersionView): VersionView => ({ ...view, issues: [], statistics: null, detail: null });
