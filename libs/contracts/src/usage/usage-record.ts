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
/** Milliseconds. */
const Duration = z.int().nonnegative().max(USAGE_DURATION_MS_MAX);
/** Milliseconds since the epoch; the last is in the year 9999. */
const Moment = z.int().positive().max(253_402_300_799_999);

const Status = z.string().regex(/^[a-z_]{1,40}$/);

const Dimensions = z.object({
  st: StreamId,
  /** Attempt that the figures come from. */
  at: z.int().nonnegative(),
  acct: AccountId,
  key: KeyId,
  dep: DeploymentId,
  rev: z.int().positive().max(INT32_MAX),
  /** A public contract; one that only newer versions know is counted under its word. */
  api: openEnum(PUBLIC_APIS),
  /** When the request came, milliseconds since the epoch. Days, months and minutes of the ledger go by it. */
  started: Moment,
  /** Since `started`. */
  ms: Duration,
  prompt: Count,
  /** Part of `prompt` that was not evaluated again. */
  cached: Count,
  completion: Count,
  /** True where the worker did not say what the engine counted, or could not believe it: then it is what was relayed. */
  estimated: z.boolean().optional(),
});

/**
 * What one request has used so far. The figures of a request only rise, and the final record is its last: so records may come
 * doubled and in any order. `running` = not over; `completed`; `cancelled` = its client left; else the code of its error.
 */
export const UsageRecord = Dimensions.extend({
  final: z.boolean(),
  /** The alias that was called; absent where the slug was. */
  alias: AliasName.optional(),
  stream: z.boolean(),
  /** Time to first token; null while there was none. */
  ttft_ms: Duration.nullable(),
  status: Status,
});
export type UsageRecord = z.infer<typeof UsageRecord>;

/** Records that travel together at most: 40 kB, each being less than 400 bytes. */
export const USAGE_RECORDS_MAX = 100;

/**
 * Requests of one key to one deployment that a gateway refused for one reason within some seconds, before a worker was looked
 * for: none of them has a record of its own, none used a token. Each count has a name of its own and never changes.
 */
export const RefusedUsage = Dimensions.pick({ acct: true, key: true, dep: true, api: true, started: true }).extend({
  /** Name of the count. */
  id: StreamId,
  alias: AliasName.optional(),
  /** Code of the error. */
  status: Status,
  requests: z.int().positive().max(INT32_MAX),
});
export type RefusedUsage = z.infer<typeof RefusedUsage>;

/** Usage of several requests that a gateway sends together. Readers that do not know `refused` leave it out. */
export const GatheredUsage = z.object({
  records: z.array(UsageRecord).max(USAGE_RECORDS_MAX),
  refused: z.array(RefusedUsage).max(USAGE_RECORDS_MAX).optional(),
});
export type GatheredUsage = z.infer<typeof GatheredUsage>;

/** A gateway's account of a request, at its end and each minute of a long one: by itself, or gathered with others. */
export const UsageRecorded = defineEvent({
  subject: 'usage.{env}.v1.rec',
  publishers: ['gateway'],
  subscribers: [],
  message: z.union([UsageRecord, GatheredUsage]),
});

/** What a worker counted of a stream whose gateway is gone. It counts where no final record of the gateway comes. */
export const OrphanUsage = Dimensions.extend({
  /** The gateway that is gone. */
  gw: Incarnation,
  /** What the start carried; without it the count is set aside. Absent where gateway or worker are of an older release. */
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

/** Usage on its way into the ledger of keys-service. */
export const UsageStream: WorkStream = {
  name: 'usage',
  events: [UsageRecorded, UsageOrphaned],
  worker: 'keys',
  bytesMax: 512 * MIB,
  ackWaitMs: 30_000,
};

/** Every stream that an environment needs. */
export const WORK_STREAMS: readonly WorkStream[] = [UsageStream];
