import { z } from 'zod';

/** Version of the archive format. A reader refuses higher ones. */
export const ARCHIVE_FORMAT = 1;

/** The services with a database, in the order in which they are backed up and restored. */
export const BACKED_UP = ['keys', 'deployments', 'tuning'] as const;
/** A service whose database backups hold. */
export type BackedUp = (typeof BACKED_UP)[number];

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Count = z.int().nonnegative();

const Table = z.object({
  /** With its schema: `keys.key`. */
  name: z.string(),
  columns: z.array(z.string()).min(1),
  rows: Count,
  /** Bytes and SHA-256 of its rows in PostgreSQL's text format. */
  bytes: Count,
  sha256: Sha256,
  /** Members of the archive that hold it, in order: `<database>/<name>/000001.gz`. */
  parts: Count,
});
export type ArchivedTable = z.output<typeof Table>;

/** Values that prove the same secret without revealing it; see `secretChecks`. */
export const SecretChecks = z.object({
  /** By pepper id. Absent = the service has no peppers. */
  KEY_PEPPERS: z.record(z.string(), Sha256).optional(),
  /** One for each key, in any order. Absent = none was set. */
  SLIPWAY_SECRET_KEY: z.array(Sha256).optional(),
});
export type SecretChecks = z.output<typeof SecretChecks>;

const ArchivedDatabase = z.object({
  /** When the state began that the archive holds. */
  moment: z.iso.datetime(),
  /** Version of PostgreSQL that it comes from. */
  server: z.string(),
  /** Names of the migrations that had run. */
  migrations: z.array(z.string()),
  secrets: SecretChecks,
  /** The newest entry of the chain of its audit log; null = it has no entry. */
  audit: z.object({ seq: z.int().positive(), hash: Sha256 }).nullable(),
  tables: z.array(Table),
  /** `last` null = no number was taken yet. */
  sequences: z.array(
    z.object({
      name: z.string(),
      last: z
        .string()
        .regex(/^-?\d+$/)
        .nullable(),
    }),
  ),
  /** What it refers to in the store of blobs, which the archive does not hold. Absent = nothing. */
  blobs: z.object({ count: Count, bytes: Count, parts: Count }).optional(),
});
/** One database of an archive. */
export type ArchivedDatabase = z.output<typeof ArchivedDatabase>;

/** What an archive says of itself; its member `manifest.json`. */
export const Manifest = z.object({
  format: z.int().positive(),
  /** Release of the command line that made it. */
  release: z.string(),
  environment: z.string(),
  databases: z.object({ keys: ArchivedDatabase, deployments: ArchivedDatabase, tuning: ArchivedDatabase }).partial(),
});
export type Manifest = z.output<typeof Manifest>;

/** Member that holds part `no` of a table or list, from 1. */
export const partName = (folder: string, no: number): string => `${folder}/${String(no).padStart(6, '0')}.gz`;
