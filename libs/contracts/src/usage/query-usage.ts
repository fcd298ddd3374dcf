import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, AliasName, DeploymentId, KeyId } from '../ids.js';

/** Rows of one reply. */
export const USAGE_ROWS_MAX = 4_000;

/** A dimension by which usage can be split. */
export const UsageGroup = z.enum(['key', 'deployment', 'alias', 'api', 'status']);
export type UsageGroup = z.infer<typeof UsageGroup>;

/** `total` = the whole range in one step. Days and hours are those of UTC. */
export const UsageStep = z.enum(['minute', 'hour', 'day', 'total']);
export type UsageStep = z.infer<typeof UsageStep>;

const Sum = z.int().nonnegative();

/** Half, 95 and 99 of 100 requests stay below these; true to 5 %. */
const Percentiles = z.object({ p50: z.number().nonnegative(), p95: z.number().nonnegative(), p99: z.number().nonnegative() });

/** How fast completed requests were answered. A figure that no request of the row has is absent. */
export const UsageLatency = z.object({
  /** Milliseconds from the request to the first token. */
  ttft_ms: Percentiles.optional(),
  /** Milliseconds from the request to the end of its answer. */
  duration_ms: Percentiles.optional(),
  /** Tokens after the first by the time since the first; of answers with two tokens or more. p95 and p99 are the fastest. */
  tokens_per_second: Percentiles.optional(),
});
export type UsageLatency = z.infer<typeof UsageLatency>;

/** Usage of one step of time and one combination of the groups that were asked for. */
export const UsageRow = z.object({
  /** Begin of the step. */
  from: z.iso.datetime(),
  /** Those of the groups that were asked for. */
  key: KeyId.optional(),
  deployment: DeploymentId.optional(),
  /** Empty where the slug was called. */
  alias: z.string().optional(),
  /** A public contract, such as `chat`; the ledger hands on words that it does not know. */
  api: z.string().max(64).optional(),
  status: z.string().optional(),
  requests: Sum,
  /** Part of `requests` that was neither completed, nor cancelled by its client, nor runs. */
  errors: Sum,
  prompt_tokens: Sum,
  cached_tokens: Sum,
  completion_tokens: Sum,
  /** Only where `latency` was asked for, and by services that know it; empty where nothing was completed. */
  latency: UsageLatency.optional(),
});
export type UsageRow = z.infer<typeof UsageRow>;

/**
 * What an account used, by the minute in which requests began. More rows than a reply holds are refused with
 * `invalid_request`: ask for longer steps, fewer groups or a shorter range.
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
    /** First minute that is not part of it, rounded up. */
    to: z.iso.datetime(),
    step: UsageStep,
    group_by: z.array(UsageGroup).max(5),
    /** Asks for the `latency` of each row too. */
    latency: z.boolean().optional(),
    /** Only these. */
    key: KeyId.optional(),
    deployment: DeploymentId.optional(),
    alias: AliasName.optional(),
  }),
  reply: z.object({
    /** In order of time, then of the groups. */
    rows: z.array(UsageRow).max(USAGE_ROWS_MAX),
    /** When the ledger was read. Requests are in it a second or two after their end, long ones each minute. */
    as_of: z.iso.datetime(),
  }),
  errors: [],
  timeoutMs: 5_000,
});
