import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { DeploymentId, Incarnation, StreamId } from '../ids.js';
import { enumOr } from '../schemas.js';

/** A stream and one attempt of it. */
const Attempt = z.tuple([StreamId, z.int().positive()]);

/**
 * The sender's NATS server shuts down, so that the sender will connect to another one: for that moment it has no subscriptions, and
 * that does not mean that it has ended. Optional for as long as workers and gateways of release 0.1 may be there, which do not send it.
 */
const Moves = z.boolean().optional();

/** Gateway to worker. The kind `decline` is reserved; readers ignore unknown ones. */
export const ControlMessage = z.discriminatedUnion('k', [
  /**
   * The lease of all of a gateway's accepted streams at this worker, each 400 ms:
   * [stream, attempt, next event wanted, 1 = finished]. Retained events below `next` are dropped.
   */
  z.object({
    k: z.literal('ack'),
    v: z.array(z.tuple([StreamId, z.int().positive(), z.int().nonnegative(), z.union([z.literal(0), z.literal(1)])])),
    moves: Moves,
  }),
  /** Ends all attempts of `st` with a number up to `at`. */
  z.object({ k: z.literal('cancel'), st: StreamId, at: z.int().positive(), why: z.string().max(64) }),
  z.object({ k: z.literal('replay'), st: StreamId, at: z.int().positive(), from: z.int().nonnegative() }),
  z.object({ k: z.literal('probe') }),
]);
export type ControlMessage = z.infer<typeof ControlMessage>;

/** Sent with a reply subject, so that NATS reports a dead worker at once. */
export const Control = defineEvent({
  subject: 'inf.{env}.v1.w.{wk}.ctl',
  publishers: ['gateway'],
  subscribers: ['worker', 'runner'],
  message: ControlMessage,
});

/** A worker's answer to `ack` and `probe`; `gone` = attempts of the ack that it does not hold. */
export const ControlAnswer = defineEvent({
  subject: 'inf.{env}.v1.g.{gw}.a.{wk}',
  publishers: ['worker', 'runner'],
  subscribers: ['gateway'],
  message: z.object({ k: z.literal('ok'), gone: z.array(Attempt), moves: Moves }),
});
export type ControlAnswer = z.infer<typeof ControlAnswer.message>;

/**
 * A runner's state and load: each second, and at once (at most every 50 ms) when it becomes full or free or changes its state.
 * `n` increases with each report, so that an overtaken one is recognised. Subject and message name the same
 * deployment and worker, and a runner whose name holds a deployment (`deploymentOfRunner`) reports that one. Other reports are ignored.
 */
export const Heartbeat = defineEvent({
  subject: 'inf.{env}.v1.hb.{dep}.{wk}',
  publishers: ['worker', 'runner'],
  subscribers: ['gateway'],
  message: z.object({
    wk: Incarnation,
    dep: DeploymentId,
    rev: z.int().positive(),
    /** Fingerprint of model, tokenizer and engine. */
    fp: z.string().max(256),
    /** An unknown word is read as `draining`: the runner gets no new streams. */
    state: enumOr(z.enum(['starting', 'ready', 'draining']), 'draining'),
    n: z.int().nonnegative(),
    slots: z.int().nonnegative(),
    used: z.int().nonnegative(),
    queued: z.int().nonnegative(),
    proto: z.tuple([z.string().max(32), z.string().max(32)]),
    caps: z.array(z.string().max(64)).max(256),
    zone: z.string().max(256).nullable(),
  }),
});
export type Heartbeat = z.infer<typeof Heartbeat.message>;

/** A gateway that starts or reconnects asks all runners to report now. */
export const Discover = defineEvent({
  subject: 'inf.{env}.v1.disc',
  publishers: ['gateway'],
  subscribers: ['worker', 'runner'],
  message: z.object({ gw: Incarnation }),
});

/**
 * A gateway's heartbeat to workers, each second. Workers keep their count of a stream until a heartbeat shows that the
 * gateway's own record has been stored. When a gateway falls silent, workers report their counts.
 */
export const GatewayHeartbeat = defineEvent({
  subject: 'inf.{env}.v1.gwhb.{gw}',
  publishers: ['gateway'],
  subscribers: ['worker', 'runner'],
  message: z.object({
    gw: Incarnation,
    /** How long its oldest usage record has waited to be stored, in milliseconds; 0 = none waits. */
    owes_ms: z.int().nonnegative(),
  }),
});
