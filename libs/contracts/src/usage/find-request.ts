import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { AccountId, DeploymentId, KeyId, StreamId } from '../ids.js';
import { TokenSums } from './query-usage.js';

const Count = z.int().nonnegative();

/** One request in the usage ledger. */
export const RequestView = TokenSums.extend({
  key: KeyId,
  deployment: DeploymentId,
  /** Revision that served it. */
  rev: z.int().positive(),
  /** The called alias; empty = called by slug. */
  alias: z.string(),
  /** A public contract, such as `chat`; may be a word of a newer version. */
  api: z.string().max(64),
  stream: z.boolean(),
  started_at: z.iso.datetime(),
  /** `running`, `completed`, `cancelled` = the client left, or the code of the error. */
  status: z.string(),
  /** Milliseconds from the request to the first token; null = none came. */
  ttft_ms: Count.nullable(),
  /** Milliseconds from the request to the end of its answer, or so far. */
  ms: Count,
  /** True where the engine gave no plausible counts, so that relayed tokens were counted. */
  estimated: z.boolean(),
});
export type RequestView = z.infer<typeof RequestView>;

/**
 * One request of an account, for 35 days after it began. Requests that were refused before they reached a worker are counted, but
 * not kept one by one.
 */
export const FindRequest = defineRpc({
  subject: 'usage.{env}.v1.rpc.find-request',
  owner: 'keys',
  callers: ['console', 'ops'],
  proof: 'viewer',
  queue: 'keys',
  request: z.object({
    account: AccountId,
    /** A request id without its prefix, or that of an answer: the part after `req_`, `chatcmpl-` or `msg_01`. */
    id: StreamId,
  }),
  /** Null = none is known by this id. */
  reply: z.object({ request: RequestView.nullable() }),
  errors: [],
  timeoutMs: 3_000,
});
