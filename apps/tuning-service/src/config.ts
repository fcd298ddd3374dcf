import { isAbsolute } from 'node:path';
import {
  certificateFile,
  hostList,
  isPair,
  keyFile,
  migrateFragment,
  natsFragment,
  postgresAddress,
  SECRET_KEYS,
  serviceFragment,
} from '@slipway/platform';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);
const quota = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const GIB = 2 ** 30;

/** Environment of tuning-service. */
export const TuningServiceConfig = z
  .object({
    ...serviceFragment,
    ...natsFragment,
    ...migrateFragment,
    /** PostgreSQL server on which the service creates its database `slipway_{env}_tuning`. */
    DATABASE_URL: postgresAddress.optional(),
    /** The database itself; takes precedence over `DATABASE_URL`. */
    TUNING_DATABASE_URL: postgresAddress.optional(),
    /**
     * Seals blobs, a key for each account, and signs tickets: 64 hex characters, or several such keys separated by commas, the
     * newest first. Absent = blobs are stored unsealed.
     */
    SLIPWAY_SECRET_KEY: z.string().regex(SECRET_KEYS, 'must be 64 hex characters, or several such keys separated by commas').optional(),
    /** Absolute folder of uploads in progress, and of blobs unless `BLOB_URL` names another place. Replicas share it. */
    BLOB_DIR: z.string().refine(isAbsolute, 'must be an absolute folder').default('/var/lib/slipway/blobs'),
    /** `s3://bucket/prefix` keeps blobs in S3, with the credentials of the AWS SDK. Absent = in `BLOB_DIR`. */
    BLOB_URL: z.url({ protocol: /^s3$/, error: 'must be s3://bucket or s3://bucket/prefix' }).optional(),
    /** Address of the blob door, through which bytes come and go; default: loopback. */
    BLOB_HOST: z.string().default('127.0.0.1'),
    /** Port of the blob door; 0 picks a free one. */
    BLOB_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
    /** Address of the blob door as consoles and workers reach it, without a path; absent: `BLOB_HOST` and `BLOB_PORT`. */
    BLOB_DOOR_URL: z.url({ protocol: /^https?$/ }).optional(),
    /** PEM files of the certificate with which the blob door speaks TLS, and its key; absent = it speaks plain HTTP. */
    BLOB_CERT: certificateFile.optional(),
    BLOB_KEY: keyFile.optional(),
    /** Hosts from which tenants may import data sets: `host`, `host:port` or `*.domain`. */
    DATASET_HOSTS: hostList,
    /** Default quota of an account: data sets. */
    QUOTA_DATASETS: quota.default(100),
    /** Default quota: versions of one data set. */
    QUOTA_DATASET_VERSIONS: quota.default(200),
    /** Default quota: bytes of all versions, checkpoints and adapters. */
    QUOTA_DATASET_BYTES: quota.default(20 * GIB),
    /** Default quota: bytes of one file, decompressed. */
    QUOTA_FILE_BYTES: quota.default(2 * GIB),
    /** Default quota: examples of one version. */
    QUOTA_EXAMPLES: quota.default(3_000_000),
    /** Default quota: uploads at one time. */
    QUOTA_UPLOADS: quota.default(4),
    /** Default quota: jobs that run at one time. */
    QUOTA_RUNNING_JOBS: quota.default(1),
    /** Default quota: jobs that wait. */
    QUOTA_QUEUED_JOBS: quota.default(10),
    /** Default quota: tokens that one job may learn. */
    QUOTA_JOB_TOKENS: quota.default(100_000_000),
    /** Default quota: tokens that all jobs may learn in a month. */
    QUOTA_MONTH_TOKENS: quota.default(1_000_000_000_000),
    /** Default quota: adapters. */
    QUOTA_ADAPTERS: quota.default(200),
    /** Address at which evaluations call the inference API, without a path. */
    GATEWAY_URL: z
      .url({ protocol: /^https?$/ })
      .refine((url) => new URL(url).pathname === '/', 'must be an address without a path, like http://gateway:8080')
      .default('http://127.0.0.1:8080'),
    /** Calls that the judges of one account's evaluations may take in 24 hours. */
    JUDGE_CALLS_PER_DAY: z.coerce.number().int().min(0).default(1_000),
    /** Changes of data sets, jobs and adapters per minute and account, in each replica; the burst is ten times as many. */
    TUNING_CHANGES_PER_MINUTE: count.max(100_000).default(60),
    /** Longest training of one job, in seconds. */
    JOB_SECONDS_MAX: count.default(86_400),
    /** Highest rank of an adapter that a job may train. */
    JOB_RANK_MAX: count.max(256).default(64),
    /** Hours that the bytes of a blob are kept after its last use has ended. */
    BLOB_KEEP_HOURS: z.coerce.number().min(0).default(24),
  })
  .refine((config) => config.DATABASE_URL !== undefined || config.TUNING_DATABASE_URL !== undefined, {
    path: ['DATABASE_URL'],
    message: 'is missing; or set TUNING_DATABASE_URL',
  })
  .refine(({ BLOB_CERT: cert, BLOB_KEY: key }) => (cert === undefined) === (key === undefined), {
    path: ['BLOB_KEY'],
    message: 'belongs to BLOB_CERT: set both or none',
  })
  .refine(({ BLOB_CERT: cert, BLOB_KEY: key }) => cert === undefined || key === undefined || isPair(cert, key), {
    path: ['BLOB_KEY'],
    message: 'is not the key of the certificate in BLOB_CERT',
  })
  .refine(({ BLOB_CERT: cert, BLOB_DOOR_URL: url }) => cert === undefined || url === undefined || url.startsWith('https:'), {
    path: ['BLOB_DOOR_URL'],
    message: 'must be https where BLOB_CERT is set',
  });
export type TuningServiceConfig = z.infer<typeof TuningServiceConfig>;
