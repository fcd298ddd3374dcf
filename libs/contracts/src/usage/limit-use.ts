import { z } from 'zod';
import { defineEvent, defineRpc } from '../channel.js';
import { AccountId, Incarnation, KeyId, StreamId } from '../ids.js';
import { eachReadable } from '../schemas.js';

/** Whose limit it is: the number of a key or of an account. */
const Holder = { kind: z.enum(['key', 'account']), id: z.int().positive() };
const Amount = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);

/** Holders of one message. */
export const LIMIT_HOLDERS_MAX = 1_000;

/**
 * What a gateway let through for holders of limits: at once where it is much, each second where it is not. The sums run on
 * for as long as `entry` is the same, so that a lost message changes nothing; they fall when a request took less than was
 * set aside for it.
 */
export const LimitUse = defineEvent({
  subject: 'usage.{env}.v1.use',
  publishers: ['gateway'],
  subscribers: ['gateway', 'keys'],
  message: z.object({
    gw: Incarnation,
    holders: eachReadable(
      z.object({
        ...Holder,
        /** When this run of the sums began at 0, milliseconds since the epoch. */
        entry: z.int().nonnegative(),
        requests: Amount,
        tokens: Amount,
        /** Requests that run or wait at this gateway now. */
        running: z.int().nonnegative(),
        /** How much of a minute's allowance is taken, as this gateway sees it: it drains by one allowance a minute. */
        requests_taken: Amount,
        tokens_taken: Amount,
      }),
      LIMIT_HOLDERS_MAX,
    ),
  }),
});
export type LimitUse = z.infer<typeof LimitUse.message>;

/** A gateway that starts asks what is taken, so that its start forgives nothing. Answered from memory. */
export const RecallLimitUse = defineRpc({
  subject: 'usage.{env}.v1.rpc.recall',
  owner: 'keys',
  callers: ['gateway'],
  queue: 'keys',
  request: z.object({ gw: Incarnation }),
  reply: z.object({
    /** Those that a gateway reported within the last minute. */
    holders: eachReadable(
      z.object({
        ...Holder,
        requests_taken: Amount,
        tokens_taken: Amount,
        /** How old this is, in milliseconds. */ age_ms: z.number().nonnegative(),
      }),
    ),
  }),
  errors: [],
  timeoutMs: 2_000,
});

const Total = z.object({ id: z.int().positive(), day: z.int().nonnegative(), month: z.int().nonnegative() });

/**
 * What holders of token budgets used this day and month, by the ledger. Gateways ask each second, and add what they let
 * through since. Everything in one reply is of one moment. A holder that cannot be read stays as it was known; sums beyond
 * what a reply can hold are given as the largest number that it can.
 */
export const QueryBudgets = defineRpc({
  subject: 'usage.{env}.v1.rpc.budgets',
  owner: 'keys',
  callers: ['gateway'],
  queue: 'keys',
  request: z.object({
    keys: z.array(KeyId).max(LIMIT_HOLDERS_MAX),
    accounts: z.array(AccountId).max(LIMIT_HOLDERS_MAX),
    /** Own requests that may or may not be in the ledger yet. */
    requests: z.array(StreamId).max(4 * LIMIT_HOLDERS_MAX),
  }),
  reply: z.object({
    /** First millisecond of the UTC day that the totals are of. */
    day: z.int().positive(),
    /** One for each that was asked for. */
    keys: eachReadable(Total),
    accounts: eachReadable(Total),
    /** Those that are in the ledger, with the tokens that are in it. */
    requests: eachReadable(z.object({ st: StreamId, tokens: z.int().nonnegative(), final: z.boolean() })),
  }),
  errors: [],
  timeoutMs: 2_000,
});
