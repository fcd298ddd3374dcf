import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Incarnation } from '../ids.js';
import { Actor } from './audit.js';

/** Public nkey of a NATS user. */
const UserPublicKey = z.string().regex(/^U[A-Z2-7]{55}$/);

/** Names that one question may ask for. */
export const WORKER_NAMES_MAX = 64;

/**
 * What a name lets its bearer do: a NATS user JWT, which only the holder of the key's seed can use. The process asks for a
 * newer one well before it expires.
 */
export const WorkerIdentity = z.object({ wk: Incarnation, jwt: z.string().max(4_000), expires_at: z.iso.datetime() });
export type WorkerIdentity = z.infer<typeof WorkerIdentity>;

/**
 * A worker's agent asks for its NATS user when it starts, as `join`: the one thing that those credentials are good for. The
 * name is its incarnation. A name belongs to the first key that asked for it, until a day after it expired. `not_permitted`: an
 * operator expelled this worker.
 */
export const JoinWorker = defineRpc({
  subject: 'key.{env}.v1.rpc.join-worker',
  owner: 'keys',
  callers: ['join'],
  queue: 'keys',
  request: z.object({ wk: Incarnation, key: UserPublicKey, host: z.string().max(255) }),
  reply: WorkerIdentity,
  errors: ['slug_taken', 'rate_limit_exceeded', 'not_permitted'],
  timeoutMs: 5_000,
});

/**
 * An agent asks for the NATS users of its runners, for some in advance, and for newer ones of names that it has, its own among
 * them. The subject proves the agent; names of runners are `<wk>-<deployment>_<suffix>`, see `runnerName`.
 */
export const NameWorkers = defineRpc({
  subject: 'key.{env}.v1.rpc.name-workers.{wk}',
  owner: 'keys',
  callers: ['agent'],
  queue: 'keys',
  request: z.object({
    /** The agent that asks, as in the subject. */
    wk: Incarnation,
    names: z
      .array(z.object({ wk: Incarnation, key: UserPublicKey }))
      .min(1)
      .max(WORKER_NAMES_MAX),
  }),
  reply: z.object({ identities: z.array(WorkerIdentity).max(WORKER_NAMES_MAX) }),
  errors: ['slug_taken', 'rate_limit_exceeded', 'not_permitted'],
  timeoutMs: 5_000,
});

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
