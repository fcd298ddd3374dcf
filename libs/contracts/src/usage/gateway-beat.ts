import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { Incarnation } from '../ids.js';

/**
 * A gateway's sign of life to workers, each second. Workers keep what they counted for a stream until a beat says that the
 * gateway's own record of it cannot be outstanding any more; a gateway that falls silent leaves it to them.
 */
export const GatewayBeat = defineEvent({
  subject: 'inf.{env}.v1.gwhb.{gw}',
  publishers: ['gateway'],
  subscribers: ['worker', 'runner'],
  message: z.object({
    gw: Incarnation,
    /** For how long its oldest usage record has waited to be kept, in milliseconds; 0 = none waits. */
    owes_ms: z.int().nonnegative(),
  }),
});
