import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId, KeyId } from '../ids.js';

/** Most rows in one reply. */
export const USAGE_ROWS_MAX = 4_000;

/** A dimension by which usage can be split. */
export const UsageGroup = z.enum(['key', 'deployment', 'alias', 'api', 'status']);
export type UsageGroup = z.infer<typeof UsageGroup>;

/** `total` = the whole range in one step. Days and hours are those of UTC. */
export const UsageStep = z.enum(['minute', 'hour', 'day', 'total']);
export type UsageStep = z.infer<typeof UsageStep>;

const Sum = z.int().nonnegative();

/** Tokens of one request or of several. */
export const TokenSums = z.object({
  prompt_tokens: Sum,
  /** Part of `prompt_tokens` that was not evaluated again. */
  cached_tokens: Sum,
  completion_tokens: Sum,
});

/** Percentiles, accurate to 5 %. */
const Percentiles = z.object({ p50: z.number().nonnegative(), p95: z.number().nonnegative(), p99: z.number().nonnegative() });

/** Latency of completed requests. A value that no request of the row has is absent. */
export const UsageLatency = z.object({
  /** Milliseconds from the request to the first token. */
  ttft_ms: Percentiles.optional(),
  /** Milliseconds from the request to the end of its answer. */
  duration_ms: Percentiles.optional(),
  /** Tokens after the first, divided by the time since the first, for answers with two or more tokens. p95 and p99 are the fastest. */
  tokens_per_second: Percentiles.optional(),
});
export type UsageLatency = z.infer<typeof UsageLatency>;

/** Usage of one time step and one combination of the requested groups. */
export const UsageRow = TokenSums.extend({
  /** Start of the step. */
  from: z.iso.datetime(),
  /** The following five: present where requested as groups. */
  key: KeyId.optional(),
  /** Also absent for refused requests to a deployment that the key does not have. */
  deployment: DeploymentId.optional(),
  /** Empty = called by slug. */
  alias: z.string().optional(),
  /** A public contract, such as `chat`; may be a word of a newer version. */
  api: z.string().max(64).optional(),
  status: z.string().optional(),
  requests: Sum,
  /** Part of `requests` that is neither completed, cancelled by the client, nor running. */
  errors: Sum,
  /** Only where requested and known to the service; empty where no request was completed. */
  latency: UsageLatency.optional(),
});
export type UsageRow = z.infer<typeof UsageRow>;

/**
 * Usage of an account, by the minute in which requests began. More than `USAGE_ROWS_MAX` rows are refused with
 * `invalid_request`: use longer steps, fewer groups or a shorter range.
 */
export const QueryUsage = defineRpc({
  subject: 'usage.{env}.v1.rpc.query',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  agents: true,
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** First minute, rounded down. */
    from: z.iso.datetime(),
    /** End, exclusive, rounded up to a minute. */
    to: z.iso.datetime(),
    step: UsageStep,
    group_by: z.array(UsageGroup).max(5),
    /** True = each row includes `latency`. */
    latency: z.boolean().optional(),
    /** Filters, which hold together. */
    key: KeyId.optional(),
    deployment: DeploymentId.optional(),
    alias: AliasName.optional(),
    /** The following three are ignored by older replicas. A public contract, such as `chat`. */
    api: z
      .string()
      .regex(/^[a-z_]{1,64}$/)
      .optional(),
    /** `completed`, `cancelled`, `running`, or the code of an error. */
    status: z
      .string()
      .regex(/^[a-z0-9_]{1,40}$/)
      .optional(),
    /** Only these keys, such as those that one person made. */
    keys: z.array(KeyId).min(1).max(500).optional(),
  }),
  reply: z.object({
    /** By time, then by groups. */
    rows: z.array(UsageRow).max(USAGE_ROWS_MAX),
    /** When the ledger was read. It contains requests one or two seconds after their end, and long ones each minute. */
    as_of: z.iso.datetime(),
  }),
  errors: [],
  timeoutMs: 5_000,
});
