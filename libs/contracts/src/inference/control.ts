import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { StreamId } from '../ids.js';

/** A stream and one attempt of it. */
const Attempt = z.tuple([StreamId, z.int().positive()]);

/** Gateway to worker. The kind `decline` is reserved; readers ignore unknown ones. */
export const ControlMessage = z.discriminatedUnion('k', [
  /**
   * The lease of all of a gateway's accepted streams at this worker, each 400 ms:
   * [stream, attempt, next event wanted, 1 = finished]. Retained events below `next` are dropped.
   */
  z.object({
    k: z.literal('ack'),
    v: z.array(z.tuple([StreamId, z.int().positive(), z.int().nonnegative(), z.union([z.literal(0), z.literal(1)])])),
  }),
  /** Ends all attempts of `st` with a number up to `at`. */
  z.object({ k: z.literal('cancel'), st: StreamId, at: z.int().positive(), why: z.string().max(64) }),
  z.object({ k: z.literal('replay'), st: StreamId, at: z.int().positive(), from: z.int().nonnegative() }),
  z.object({ k: z.literal('probe') }),
]);
export type ControlMessage = z.infer<typeof ControlMessage>;

/** Sent with a reply subject: a dead worker answers 503 at once. */
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
  message: z.object({ k: z.literal('ok'), gone: z.array(Attempt) }),
});
export type ControlAnswer = z.infer<typeof ControlAnswer.message>;
