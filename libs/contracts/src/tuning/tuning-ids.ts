import { z } from 'zod';

const DatabaseId = z.int().positive().max(2_147_483_647);

/** Data set number from tuning-service's database. */
export const DatasetId = DatabaseId.brand<'DatasetId'>();
export type DatasetId = z.infer<typeof DatasetId>;

/** Number of a data set's version: 1, 2, 3, … What people say: "support v7". */
export const VersionNumber = z.int().positive().max(1_000_000);

/** Identifies an upload. Not a secret: the ticket is. */
export const UploadId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,64}$/)
  .brand<'UploadId'>();
export type UploadId = z.infer<typeof UploadId>;

/** Training job number from tuning-service's database. */
export const JobId = DatabaseId.brand<'JobId'>();
export type JobId = z.infer<typeof JobId>;

/** Adapter number from tuning-service's database. */
export const AdapterId = DatabaseId.brand<'AdapterId'>();
export type AdapterId = z.infer<typeof AdapterId>;

/** Number of an evaluation suite from tuning-service's database. */
export const SuiteId = DatabaseId.brand<'SuiteId'>();
export type SuiteId = z.infer<typeof SuiteId>;

/** Evaluation number from tuning-service's database. */
export const EvaluationId = DatabaseId.brand<'EvaluationId'>();
export type EvaluationId = z.infer<typeof EvaluationId>;

/** Hex SHA-256. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Name of a data set, job or adapter, unique in its account: what addresses, agents and the command line use. */
export const TuningName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'A name has 1 to 63 lowercase letters, digits, dots, hyphens and underscores.');

/** A caller's name for one creation, unique in its account. */
export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'An idempotency key has 1 to 128 visible ASCII characters.');

/** What opens one blob or upload for one verb for at most an hour. A secret: never in a log. */
export const Ticket = z.string().regex(/^[A-Za-z0-9_.-]{20,1024}$/);
