import { Injectable } from '@nestjs/common';
import type { Tx } from '@slipway/database';

/** A key that signs session tokens and proofs. */
export interface StoredSigningKey {
  readonly kid: string;
  /** Public key, base64url. */
  readonly x: string;
  /** Private key, sealed; null once the key is retired. */
  readonly sealed: string | null;
  readonly createdAt: Date;
}

const COLUMNS = `kid, public_x AS x, sealed, created_at AS "createdAt"`;

/** Rows of signing keys. */
@Injectable()
export class SigningKeysRepository {
  /** The key that signs; null before the first one is created. */
  async current(tx: Tx): Promise<StoredSigningKey | null> {
    const [row] = await tx.query<StoredSigningKey[]>(
      `SELECT ${COLUMNS} FROM sessions.signing_key WHERE retired_at IS NULL AND revoked_at IS NULL ORDER BY created_at DESC LIMIT 1`,
    );
    return row ?? null;
  }

  /** Keys whose tokens may not have expired. @param tokenLifeS longest life of a token, in seconds */
  async published(tx: Tx, tokenLifeS: number): Promise<StoredSigningKey[]> {
    return tx.query<StoredSigningKey[]>(
      `SELECT ${COLUMNS} FROM sessions.signing_key
       WHERE revoked_at IS NULL AND (retired_at IS NULL OR retired_at > now() - make_interval(secs => $1)) ORDER BY created_at DESC`,
      [tokenLifeS],
    );
  }

  /** Locks the creation of keys until the transaction ends, for all replicas. */
  async lockCreation(tx: Tx): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('slipway.signing-key', 0))`);
  }

  /** Inserts a key and retires all others, whose private keys are deleted. Deletes keys that were retired a day ago. */
  async replace(tx: Tx, { kid, x, sealed }: Omit<StoredSigningKey, 'createdAt'>, revokeOld: boolean): Promise<void> {
    await tx.query(
      `UPDATE sessions.signing_key SET sealed = NULL, retired_at = coalesce(retired_at, now()),
         revoked_at = CASE WHEN $1 THEN coalesce(revoked_at, now()) ELSE revoked_at END`,
      [revokeOld],
    );
    await tx.query(`DELETE FROM sessions.signing_key WHERE retired_at < now() - interval '1 day'`);
    await tx.query(`INSERT INTO sessions.signing_key (kid, public_x, sealed) VALUES ($1, $2, $3)`, [kid, x, sealed]);
  }
}
