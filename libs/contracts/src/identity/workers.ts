import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { Incarnation } from '../ids.js';
import { Actor } from './audit.js';

/** Public nkey of a NATS user. */
const UserPublicKey = z.string().regex(/^U[A-Z2-7]{55}$/);

/** Most names in one request. */
export const WORKER_NAMES_MAX = 64;

/**
 * A NATS user JWT for a name; usable only with the seed of its key. The process renews it well before it expires.
 */
export const WorkerIdentity = z.object({ wk: Incarnation, jwt: z.string().max(4_000), expires_at: z.iso.datetime() });
export type WorkerIdentity = z.infer<typeof WorkerIdentity>;

/**
 * Gives a worker's agent its NATS user at start. The caller is `join`, whose credentials permit nothing else. The name is the
 * agent's incarnation. A name belongs to the first key that requested it, until a day after its expiry. `not_permitted`: an
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
 * Gives an agent NATS users for its runners, some of them in advance, and renews those that it has, including its own. The
 * subject proves the agent. Names of runners are `<wk>-<deployment>_<suffix>`, see `runnerName`.
 */
export const NameWorkers = defineRpc({
  subject: 'key.{env}.v1.rpc.name-workers.{wk}',
  owner: 'keys',
  callers: ['agent'],
  queue: 'keys',
  request: z.object({
    /** The calling agent, as in the subject. */
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
  /** Host name that the worker gave when it joined. */
  host: z.string().nullable(),
  /** Valid names for its runners, including unused ones. */
  runners: z.int().nonnegative(),
  /** When its own JWT expires unless it is renewed. */
  expires_at: z.iso.datetime(),
  expelled_at: z.iso.datetime().nullable(),
});

/** The joined workers whose JWT has not expired, by name; 200 per reply. */
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
 * Makes keys-service refuse NATS users to this worker and its runners, both new ones and renewals. Existing JWTs stay valid until
 * they expire. Repeating it is harmless.
 */
export const ExpelWorker = defineRpc({
  subject: 'key.{env}.v1.rpc.expel-worker',
  owner: 'keys',
  callers: ['ops'],
  queue: 'keys',
  request: z.object({ wk: Incarnation, actor: Actor }),
  /** When the last JWT of the worker and its runners expires: the NATS server then closes their connections. */
  reply: z.object({ until: z.iso.datetime() }),
  errors: ['not_found'],
  timeoutMs: 5_000,
});
