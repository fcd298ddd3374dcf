import { z } from 'zod';
import { Incarnation } from '../ids.js';

/** Whether a change that is committed is also obeyed already: part of the replies to changes of keys. */
export const propagatedFields = {
  /** True when every live gateway has confirmed that it obeys the change. */
  propagated: z.boolean(),
  /**
   * The live gateways that have not confirmed. Empty besides `propagated: false` when the service
   * cannot know all of them: it has just started, or its database does not answer.
   * What is not confirmed is obeyed within a second with NATS up; who is cut off refuses all keys within 3 s.
   */
  missing: z.array(Incarnation),
};

/** The same in replies that did not tell it once. Absent from older replicas. */
export const propagatedFieldsOfNow = { propagated: propagatedFields.propagated.optional(), missing: propagatedFields.missing.optional() };
