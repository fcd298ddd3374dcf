import type { FactoryProvider } from '@nestjs/common';
import { ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { CONFIG, LOG, type Logger, type ServiceConfig } from '@slipway/platform';
import { ProofReader, SessionKeyRing, type SessionLiveness } from '@slipway/proof';
import { SessionsRepository } from './sessions.repository.js';
import { SigningKeysRepository } from './signing-keys.repository.js';
import { publishedKey, PUBLISHED_AFTER_RETIRING_S } from './signing-keys.service.js';

function readerOf({ SLIPWAY_ENV: env }: ServiceConfig, transactions: Transactions, log: Logger): ProofReader {
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

/**
 * Provides the reader of the proofs that this service signed. It asks the database, so a session that any replica ended is over
 * at once here, at the cost of one read by primary key.
 */
export const ownProofs: FactoryProvider<ProofReader> = { provide: ProofReader, useFactory: readerOf, inject: [CONFIG, Transactions, LOG] };
