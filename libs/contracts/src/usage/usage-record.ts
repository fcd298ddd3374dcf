import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { AccountId, AliasName, DeploymentId, Incarnation, KeyId, StreamId } from '../ids.js';
import { PUBLIC_APIS } from '../inference/start.js';
import { TOKENS_MAX } from '../inference/stream-event.js';
import { openEnum } from '../schemas.js';
import type { WorkStream } from '../work-stream.js';

const INT32_MAX = 2_147_483_647;
const Count = z.int().nonnegative().max(TOKENS_MAX);
/** Longest duration of a record, in milliseconds: 24 days. */
export const USAGE_DURATION_MS_MAX = INT32_MAX;
/** In milliseconds. */
const Duration = z.int().nonnegative().max(USAGE_DURATION_MS_MAX);
/** Milliseconds since the epoch; the last is in the year 9999. */
const Moment = z.int().positive().max(253_402_300_799_999);

/** Digits are from 2027 on: an older keys-service sets such a record aside. */
const Status = z.string().regex(/^[a-z0-9_]{1,40}$/);

const Dimensions = z.object({
  st: StreamId,
  /** Attempt whose counts these are. */
  at: z.int().nonnegative(),
  acct: AccountId,
  key: KeyId,
  dep: DeploymentId,
  rev: z.int().positive().max(INT32_MAX),
  /** A public contract; an unknown word is counted under that word. */
  api: openEnum(PUBLIC_APIS),
  /** When the request arrived, in milliseconds since the epoch. It decides the day, month and minute in the ledger. */
  started: Moment,
  /** Duration since `started`. */
  ms: Duration,
  prompt: Count,
  /** Part of `prompt` that was not evaluated again. */
  cached: Count,
  completion: Count,
  /** True where the engine gave no plausible count, so that relayed tokens were counted. */
  estimated: z.boolean().optional(),
});

/**
 * What one request has used so far. Its counts never decrease and the final record is the last, so records may arrive repeatedly
 * and in any order. Status: `running`, `completed`, `cancelled` = the client left, or the code of the error.
 */
export const UsageRecord = Dimensions.extend({
  final: z.boolean(),
  /** The called alias; absent = called by slug. */
  alias: AliasName.optional(),
  stream: z.boolean(),
  /** Time to first token; null = none yet. */
  ttft_ms: Duration.nullable(),
  status: Status,
  /** Why its answer ended, such as `stop` or `length`; of several choices, `length` if any was cut. Absent = none came, or the gateway is of before 2027. */
  finish: z
    .string()
    .regex(/^[a-z_]{1,40}$/)
    .optional(),
});
export type UsageRecord = z.infer<typeof UsageRecord>;

/** Most records in one message: 40 kB, at less than 400 bytes each. */
export const USAGE_RECORDS_MAX = 100;

/**
 * Number of requests of one key to one deployment that a gateway refused for one reason within some seconds, before it looked for
 * a worker. They have no record of their own and used no token. Each count has a unique id and never changes.
 */
export const RefusedUsage = Dimensions.pick({ acct: true, key: true, api: true, started: true }).extend({
  /** Absent = the key has no such deployment. An older keys-service sets such a count aside, so it is upgraded before gateways. */
  dep: DeploymentId.optional(),
  /** Unique id of the count. */
  id: StreamId,
  alias: AliasName.optional(),
  /** Code of the error. */
  status: Status,
  requests: z.int().positive().max(INT32_MAX),
});
export type RefusedUsage = z.infer<typeof RefusedUsage>;

/** Usage of several requests in one message. Readers that do not know `refused` ignore it. */
export const GatheredUsage = z.object({
  records: z.array(UsageRecord).max(USAGE_RECORDS_MAX),
  refused: z.array(RefusedUsage).max(USAGE_RECORDS_MAX).optional(),
});
export type GatheredUsage = z.infer<typeof GatheredUsage>;

/** Usage that a gateway reports: at the end of a request, and each minute of a long one. */
export const UsageRecorded = defineEvent({
  subject: 'usage.{env}.v1.rec',
  publishers: ['gateway'],
  subscribers: [],
  message: z.union([UsageRecord, GatheredUsage]),
});

/** A worker's count of a stream whose gateway is gone. Used where the gateway sent no final record. */
export const OrphanUsage = Dimensions.extend({
  /** The gateway that is gone. */
  gw: Incarnation,
  /** Claim from the start's header; without it the count is not booked. Absent from older gateways and workers. */
  claim: z.string().max(200).optional(),
});
export type OrphanUsage = z.infer<typeof OrphanUsage>;

/** Usage that a worker reports in place of a gateway that is gone. */
export const UsageOrphaned = defineEvent({
  subject: 'usage.{env}.v1.orphan',
  publishers: ['worker', 'runner'],
  subscribers: [],
  message: OrphanUsage,
});

const MIB = 1024 * 1024;

/** Usage records for the ledger of keys-service. */
export const UsageStream: WorkStream = {
  name: 'usage',
  events: [UsageRecorded, UsageOrphaned],
  worker: 'keys',
  bytesMax: 512 * MIB,
  ackWaitMs: 30_000,
};

/** Every stream that an environment needs. */
export const WORK_STREAMS: readonly WorkStream[] = [UsageStream];
