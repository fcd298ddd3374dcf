import { Injectable } from '@nestjs/common';
import type { Tx } from '@slipway/database';

/** Rows that one attempt clears away besides its own. */
const SWEPT_ROWS = 100;

/** Sign-ins by an identity provider that were begun, by the hash of their nonce. */
@Injectable()
export class SignInAttemptsRepository {
  async begin(tx: Tx, nonceHash: Buffer, expiresAt: Date): Promise<void> {
    await tx.query(
      `DELETE FROM sessions.sign_in_attempt WHERE nonce_hash IN
         (SELECT nonce_hash FROM sessions.sign_in_attempt WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [SWEPT_ROWS],
    );
    await tx.query(`INSERT INTO sessions.sign_in_attempt (nonce_hash, expires_at) VALUES ($1, $2)`, [nonceHash, expiresAt]);
  }

  /** True once for an attempt that has not expired. */
  async finish(tx: Tx, nonceHash: Buffer): Promise<boolean> {
    const [rows] = await tx.query<[{ expires_at: Date }[], number]>(
      `DELETE FROM sessions.sign_in_attempt WHERE nonce_hash = $1 RETURNING expires_at`,
      [nonceHash],
    );
    const [row] = rows;
    return row !== undefined && row.expires_at.getTime() > Date.now();
  }
}
