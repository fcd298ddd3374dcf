import { z } from 'zod';

/**
 * Place of a message in a series that belongs together because one NATS message is too small for all of it. A receiver
 * takes the series as one message once it has every part, in whatever order they arrive.
 */
export const MessagePart = z.object({
  /** Number of the series; a later series of the same sender has a higher one. */
  no: z.int().positive(),
  /** Place in the series, from 0. */
  i: z.int().nonnegative(),
  /** Parts of the series. 0 = no content: the series with this number still holds. */
  of: z.int().nonnegative().max(10_000),
});
export type MessagePart = z.infer<typeof MessagePart>;
