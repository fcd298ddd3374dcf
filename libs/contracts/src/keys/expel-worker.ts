import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Incarnation } from '../ids.js';
import { Actor } from './actor.js';

/** Workers that one reply lists. */
export const WORKERS_PAGE = 200;

/** A worker as keys-service knows it: an agent that joined, with names for its runners. */
export const JoinedWorker = z.object({
  wk: Incarnation,
  /** What the worker called its host when it joined. */
  host: z.string().nullable(),
  /** Names of its runners that are good now, those included that it has in advance. */
  runners: z.int().nonnegative(),
  /** When its own proof ends, unless it is renewed. */
  expires_at: z.iso.datetime(),
  expelled_at: z.iso.datetime().nullable(),
});

/** The workers that joined and whose proof has not ended, by name; 200 per reply. */
export const ListWorkers = defineRpc({
  subject: 'key.{env}.v1.rpc.list-workers',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ after: Incarnation.optional() }),
  reply: z.object({ workers: z.array(JoinedWorker).max(WORKERS_PAGE), next: Incarnation.nullable() }),
  errors: [],
  timeoutMs: 5_000,
});

/**
 * From now on keys-service makes no NATS user for this worker any more, nor for its runners: neither new ones nor newer proofs of
 * those that they have. What it has is good until it ends. Repeating it is harmless.
 */
export const ExpelWorker = defineRpc({
  subject: 'key.{env}.v1.rpc.expel-worker',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ wk: Incarnation, actor: Actor }),
  /** When the last proof that it or a runner of it has ends: the NATS server closes their connections by then. */
  reply: z.object({ until: z.iso.datetime() }),
  errors: ['not_found'],
  timeoutMs: 5_000,
});
