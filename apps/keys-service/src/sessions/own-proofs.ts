import { ServiceError } from '@slipway/contracts';
import type { Transactions } from '@slipway/database';
import type { Logger } from '@slipway/platform';
import { ProofReader, SessionKeyRing, type SessionLiveness } from '@slipway/proof';
import { SessionsRepository } from './sessions.repository.js';
import { SigningKeysRepository } from './signing-keys.repository.js';
import { publishedKey, PUBLISHED_AFTER_RETIRING_S } from './signing-keys.service.js';

/**
 * Reads the proofs that this service signed. Its database is the truth about keys and sessions: a session that was ended by any
 * replica is over at once here, for one read by primary key.
 */
export function ownProofs({ env, transactions, log }: { env: string; transactions: Transactions; log: Logger }): ProofReader {
  const [signingKeys, sessions] = [new SigningKeysRepository(), new SessionsRepository()];
  const published = async (): Promise<ReturnType<typeof publishedKey>[]> => {
    const stored = await transactions.read((connection) => signingKeys.published(connection, PUBLISHED_AFTER_RETIRING_S));
    return stored.map(publishedKey);
  };
  const liveness: SessionLiveness = {
    require: async (id, ver) => {
      const session = await transactions.read((connection) => sessions.find(connection, id));
      if (session?.endedAt === null && ver >= session.ver) return;
      throw new ServiceError('session_ended', 'This session is over; sign in again.');
    },
  };
  return new ProofReader({ env, keys: new SessionKeyRing(published, log), sessions: liveness });
}
