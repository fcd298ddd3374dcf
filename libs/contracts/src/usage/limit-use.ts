import { z } from 'zod';
import { defineEvent, defineRpc } from '../channel.js';
import { AccountId, Incarnation, KeyId, StreamId } from '../ids.js';
import { eachReadable } from '../schemas.js';

/** A key or an account with limits, by its number. */
const Limited = { kind: z.enum(['key', 'account']), id: z.int().positive() };
const Amount = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

/** Most keys and accounts in one message. */
export const LIMIT_HOLDERS_MAX = 1_000;

/**
 * What a gateway admitted for keys and accounts with limits: sent at once when it is much, else each second. The sums are totals
 * since `entry`, so a lost message changes nothing. They decrease when a request used less than was reserved for it.
 */
export const LimitUse = defineEvent({
  subject: 'usage.{env}.v1.use',
  publishers: ['gateway'],
  subscribers: ['gateway', 'keys'],
  message: z.object({
    gw: Incarnation,
    holders: eachReadable(
      z.object({
        ...Limited,
        /** When these sums began at 0, in milliseconds since the epoch. */
        entry: z.int().nonnegative(),
        requests: Amount,
        tokens: Amount,
        /** Requests running or queued at this gateway now. */
        running: z.int().nonnegative(),
        /** Used part of the allowance per minute, as this gateway sees it. It drains by one allowance per minute. */
        requests_taken: Amount,
        tokens_taken: Amount,
      }),
      LIMIT_HOLDERS_MAX,
    ),
  }),
});
export type LimitUse = z.infer<typeof LimitUse.message>;

/** Gives a starting gateway the current use, so that a restart resets no limit. Answered from memory. */
export const RecallLimitUse = defineRpc({
  subject: 'usage.{env}.v1.rpc.recall',
  owner: 'keys',
  callers: ['gateway'],
  queue: 'keys',
  request: z.object({ gw: Incarnation }),
  reply: z.object({
    /** What gateways reported within the last minute. */
    holders: eachReadable(
      z.object({
        ...Limited,
        requests_taken: Amount,
        tokens_taken: Amount,
        /** Age of the report, in milliseconds. */ age_ms: z.number().nonnegative(),
      }),
    ),
  }),
  errors: [],
  timeoutMs: 2_000,
});

const Total = z.object({ id: z.int().positive(), day: z.int().nonnegative(), month: z.int().nonnegative() });

/**
 * What keys and accounts with token budgets used this day and month, by the ledger. Gateways ask each second and add what they
 * admitted since. One reply is one snapshot. Items that a gateway cannot read keep their former values. Larger sums are sent as
 * the largest number that fits.
 */
export const QueryBudgets = defineRpc({
  subject: 'usage.{env}.v1.rpc.budgets',
  owner: 'keys',
  callers: ['gateway'],
  queue: 'keys',
  request: z.object({
    keys: z.array(KeyId).max(LIMIT_HOLDERS_MAX),
    accounts: z.array(AccountId).max(LIMIT_HOLDERS_MAX),
    /** The gateway's own requests that may be in the ledger by now. */
    requests: z.array(StreamId).max(4 * LIMIT_HOLDERS_MAX),
  }),
  reply: z.object({
    /** First millisecond of the UTC day of the totals. */
    day: z.int().positive(),
    /** One for each requested key. */
    keys: eachReadable(Total),
    accounts: eachReadable(Total),
    /** The requests that are in the ledger, with their tokens there. */
    requests: eachReadable(z.object({ st: StreamId, tokens: z.int().nonnegative(), final: z.boolean() })),
  }),
  errors: [],
  timeoutMs: 2_000,
});
