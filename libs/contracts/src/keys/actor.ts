import { z } from 'zod';
import { KeyId, UserId } from '../ids.js';

/** Where a request came from, as the door that took it knows. */
export const Origin = z.object({
  /** Address of the client. */
  address: z.string().max(64).optional(),
  /** The client's own name, such as its User-Agent. */
  client: z.string().max(200).optional(),
});
export type Origin = z.infer<typeof Origin>;

/**
 * On whose behalf a change is asked for. It goes into the audit log. Who asks tells it; the owner of what changes holds the
 * kind and the number to the proof that came with the message, and replaces an actor that is absent. The origin is told only.
 */
export const Actor = z.discriminatedUnion('kind', [
  Origin.extend({ kind: z.literal('user'), user: UserId }),
  Origin.extend({ kind: z.literal('key'), key: KeyId }),
  Origin.extend({ kind: z.literal('ops') }),
]);
export type Actor = z.infer<typeof Actor>;
