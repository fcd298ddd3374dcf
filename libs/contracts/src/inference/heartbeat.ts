import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { DeploymentId, Incarnation } from '../ids.js';

/**
 * A runner's status and load, each second and at once (50 ms apart at least) when it becomes full,
 * free or changes its state. `n` rises with each, so that an overtaken report is recognised. Subject and message name the same
 * deployment and worker, and a name that tells a deployment (`deploymentOfRunner`) speaks of no other: what does not is ignored.
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
    state: z.enum(['starting', 'ready', 'draining']),
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
