import type { SessionFeedRecord } from '@slipway/contracts';
import type { StoredRecord } from '@slipway/feed';
import type { Session } from './sessions.repository.js';

/** What consoles learn of a session whose tokens are void. */
export const sessionRecord = ({ id, ver, endedAt, voidUntil }: Session): StoredRecord<SessionFeedRecord> => ({
  id: `session:${id}`,
  ver,
  rec: { id, ver, ended: endedAt !== null, until: voidUntil?.getTime() ?? 0 },
});
