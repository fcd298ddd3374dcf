import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField, AuditEntry, auditFilters, auditPage } from '../identity/audit.js';
import { AccountId } from '../ids.js';
import { unknownNames } from '../schemas.js';
import { tuningRead } from './datasets.js';

const Quota = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const names = {
  datasets: Quota,
  /** Versions of one data set. */
  versions: Quota,
  /** Bytes of all versions, checkpoints and adapters. */
  bytes: Quota,
  /** Bytes of one file, decompressed. */
  file_bytes: Quota,
  /** Examples of one version. */
  examples: Quota,
  uploads: Quota,
  running_jobs: Quota,
  queued_jobs: Quota,
  /** Tokens that one job may learn. */
  job_tokens: Quota,
  /** Tokens that all jobs may learn in a month. */
  month_tokens: Quota,
  adapters: Quota,
};

/** A number for each quota of data sets and training: in use, or allowed. */
export const TuningCounts = z.object(names);
export type TuningCounts = z.infer<typeof TuningCounts>;

/** Quotas that an operator set for an account. */
export const TuningQuotas = TuningCounts.partial();
export type TuningQuotas = z.infer<typeof TuningQuotas>;

const change = Object.fromEntries(Object.entries(names).map(([name, quota]) => [name, quota.nullable().optional()])) as {
  readonly [name in keyof typeof names]: z.ZodOptional<z.ZodNullable<typeof Quota>>;
};
/** A change of quotas: null resets one to its default, absent ones stay. Unknown names are refused. */
const TuningQuotasChange = z.strictObject(change, { error: unknownNames('quota', change) });

const reply = z.object({ quotas: TuningQuotas, defaults: TuningCounts, used: TuningCounts });

/** The quotas that apply to an account and their use. */
export const FindTuningUse = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-use',
  ...tuningRead,
  request: z.object({ account: AccountId }),
  reply: z.object({ quotas: TuningCounts, used: TuningCounts }),
  errors: [],
});

/** The quotas of an account, those that an operator set apart. */
export const FindTuningQuotas = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-account-quotas',
  owner: 'tuning',
  callers: ['ops'],
  queue: 'tuning',
  request: z.object({ account: AccountId }),
  reply,
  errors: [],
  timeoutMs: 3_000,
});

/** Sets quotas of an account; for operators only. What exists stays, even beyond a quota. */
export const SetTuningQuotas = defineRpc({
  subject: 'tun.{env}.v1.rpc.set-account-quotas',
  owner: 'tuning',
  callers: ['ops'],
  queue: 'tuning',
  request: z.object({ account: AccountId, quotas: TuningQuotasChange, ...actorField }),
  reply,
  errors: [],
  timeoutMs: 3_000,
});

/** Audit entries of an account's data sets, jobs and adapters, newest first; at most 200 per reply. For owners and operators. */
export const ListTuningAudit = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-tuning-audit',
  owner: 'tuning',
  callers: ['console', 'ops'],
  proof: 'owner',
  reads: true,
  queue: 'tuning',
  request: z.object({ account: AccountId, before: z.int().positive().optional(), ...auditFilters }),
  reply: z.object({ entries: z.array(AuditEntry), next: z.int().positive().nullable() }),
  errors: [],
  timeoutMs: 3_000,
});

/** The whole audit log of tuning-service in the order of its chain. For operators. */
export const ReadTuningAudit = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-audit',
  owner: 'tuning',
  callers: ['ops'],
  queue: 'tuning',
  ...auditPage,
});
