import { Injectable } from '@nestjs/common';
import type { AccountId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

/** A blob of an account, by its content. */
export interface BlobKey {
  readonly account: AccountId;
  readonly sha256: string;
}

/**
 * What was stored gets its first use with a later message: of a report that waits while this service is away, for one. Until then it
 * counts as if its last use ended in an hour.
 */
const FIRST_USE = `now() + interval '1 hour'`;

const STORED = `
  INSERT INTO blob (account, sha256, bytes, sealed, unused_since) VALUES ($1, $2, $3, $4, ${FIRST_USE})`;

const RELEASED = `
  UPDATE blob SET unused_since = now() WHERE account = $1 AND sha256 = ANY($2) AND unused_since IS NULL
    AND NOT EXISTS (SELECT FROM blob_use u WHERE u.account = blob.account AND u.sha256 = blob.sha256)`;

/** Which blobs are stored, and what uses them. A blob is named for its owner: `version:4/3`, `checkpoint:41/90`, `adapter:7`. */
@Injectable()
export class BlobUsesRepository {
  /** Keeps others from storing or removing this blob until the transaction ends. */
  async lock(tx: EntityManager, { account, sha256 }: BlobKey): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`blob:${account}:${sha256}`]);
  }

  /** Notes that the blob's bytes are stored. Unused, it stays an hour longer than one whose last use ended now. */
  async stored(tx: EntityManager, { account, sha256 }: BlobKey, { bytes, isSealed }: { bytes: number; isSealed: boolean }): Promise<void> {
    await tx.query(STORED, [account, sha256, bytes, isSealed]);
  }

  /** Bytes of a stored blob; null when it is not stored. Keeps it for another while. */
  async touch(tx: EntityManager, { account, sha256 }: BlobKey): Promise<number | null> {
    const touched = `UPDATE blob SET unused_since = CASE WHEN unused_since IS NULL THEN NULL ELSE ${FIRST_USE} END
      WHERE account = $1 AND sha256 = $2 RETURNING bytes::float8 AS bytes`;
    const [[row]] = await tx.query<[{ bytes: number }[], number]>(touched, [account, sha256]);
    return row?.bytes ?? null;
  }

  /** Null when it is not stored. */
  async find(connection: EntityManager, { account, sha256 }: BlobKey): Promise<{ bytes: number; sealed: boolean } | null> {
    const one = `SELECT bytes::float8 AS bytes, sealed FROM blob WHERE account = $1 AND sha256 = $2`;
    const [row] = await connection.query<{ bytes: number; sealed: boolean }[]>(one, [account, sha256]);
    return row ?? null;
  }

  /** Adds a use. The blob must be stored. */
  async use(tx: EntityManager, { account, sha256 }: BlobKey, owner: string): Promise<void> {
    await tx.query(`INSERT INTO blob_use (account, sha256, owner) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [account, sha256, owner]);
    await tx.query(`UPDATE blob SET unused_since = NULL WHERE account = $1 AND sha256 = $2`, [account, sha256]);
  }

  /** Ends all uses by these owners. */
  async release(tx: EntityManager, account: AccountId, owners: readonly string[]): Promise<void> {
    const gone = `DELETE FROM blob_use WHERE account = $1 AND owner = ANY($2) RETURNING sha256`;
    const [rows] = await tx.query<[{ sha256: string }[], number]>(gone, [account, owners]);
    if (rows.length > 0) await tx.query(RELEASED, [account, rows.map(({ sha256 }) => sha256)]);
  }

  /** Blobs without a use for this time, at most 100. */
  expired(connection: EntityManager, keptSeconds: number): Promise<BlobKey[]> {
    const unused = `SELECT account, sha256 FROM blob WHERE unused_since < now() - make_interval(secs => $1) ORDER BY unused_since LIMIT 100`;
    return connection.query(unused, [keptSeconds]);
  }

  /** Forgets a blob that is still without a use; false when it has one again. */
  async forget(tx: EntityManager, { account, sha256 }: BlobKey, keptSeconds: number): Promise<boolean> {
    const gone = `DELETE FROM blob WHERE account = $1 AND sha256 = $2 AND unused_since < now() - make_interval(secs => $3) RETURNING 1`;
    const [rows] = await tx.query<[unknown[], number]>(gone, [account, sha256, keptSeconds]);
    return rows.length > 0;
  }

  /** Bytes of all stored blobs. */
  async total(connection: EntityManager): Promise<number> {
    const [row] = await connection.query<{ bytes: number }[]>(`SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM blob`);
    return row?.bytes ?? 0;
  }
}
