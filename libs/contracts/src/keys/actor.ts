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
 * On whose behalf a change is asked for. It goes into the audit log. A person's role in the account is checked by
 * the owner of what changes; a key and an operator were checked by who asks.
 */
export const Actor = z.discriminatedUnion('kind', [
  Origin.extend({ kind: z.literal('user'), user: UserId }),
  Origin.extend({ kind: z.literal('key'), key: KeyId }),
  Origin.extend({ kind: z.literal('ops') }),
]);
export type Actor = z.infer<typeof Actor>;
