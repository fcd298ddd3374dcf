import { z } from 'zod';
import { defineFeed } from '../feed.js';
import { SessionId } from '../ids.js';

/** A session whose earlier tokens are void. */
export const SessionFeedRecord = z.object({
  id: SessionId,
  /** Tokens with a lower version are void. */
  ver: z.int().positive(),
  /** No token of it is good any more. */
  ended: z.boolean(),
  /** When the last void token has expired and this need not be known any more; milliseconds since the epoch. */
  until: z.int(),
});
export type SessionFeedRecord = z.infer<typeof SessionFeedRecord>;

/** Sessions that ended or changed while tokens of theirs still live: what whoever verifies them must know besides their signatures. */
export const SessionFeed = defineFeed({ name: 'session', owner: 'keys', readers: ['console', 'deployments'], record: SessionFeedRecord });
