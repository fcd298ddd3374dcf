import { Injectable } from '@nestjs/common';
import type { AccountId, DatasetId, UploadId, UploadView } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { ActorColumns } from '../actor-columns.js';
import type { Reading } from '../datasets/version-rows.js';

/** A row of `upload`, with numbers in place of the driver's texts. */
export interface UploadRow extends ActorColumns {
  readonly id: UploadId;
  readonly account: AccountId;
  /** Null = the file of an adapter. */
  readonly dataset_id: DatasetId | null;
  readonly state: UploadView['state'];
  readonly file_name: string | null;
  readonly declared_bytes: number | null;
  readonly received: number;
  readonly sha256: string | null;
  readonly reading: Reading;
  readonly version: number | null;
  readonly expires_at: Date;
}

/** An upload to make. */
export interface NewUpload extends ActorColumns {
  readonly id: UploadId;
  readonly account: AccountId;
  readonly dataset: DatasetId | null;
  readonly fileName: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly reading: Reading;
  readonly key: string | null;
}

/** A stored piece of an upload. */
export interface UploadPart {
  readonly start: number;
  readonly bytes: number;
  readonly path: string;
  readonly sealed: boolean;
}

const COLUMNS = `id, account, dataset_id, state, file_name, declared_bytes::float8 AS declared_bytes, received::float8 AS received, sha256,
  reading, version, actor, actor_id, actor_name, expires_at`;

@Injectable()
export class UploadsRepository {
  async insert(tx: EntityManager, upload: NewUpload): Promise<UploadRow> {
    const insert = `INSERT INTO upload (id, account, dataset_id, file_name, declared_bytes, sha256, reading, key, actor, actor_id, actor_name,
        expires_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, now() + interval '24 hours') RETURNING ${COLUMNS}`;
    const { id, account, dataset, fileName, bytes, sha256, reading, key } = upload;
    const values = [id, account, dataset, fileName, bytes, sha256, JSON.stringify(reading), key];
    const [row] = await tx.query<[UploadRow]>(insert, [...values, upload.actor, upload.actor_id, upload.actor_name]);
    return row;
  }

  /** The account's upload with this idempotency key; null without one. */
  async byKey(tx: EntityManager, account: AccountId, key: string): Promise<UploadRow | null> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`upload:${account}:${key}`]);
    const [row] = await tx.query<UploadRow[]>(`SELECT ${COLUMNS} FROM upload WHERE account = $1 AND key = $2`, [account, key]);
    return row ?? null;
  }

  /** Null when the account has no such upload. */
  async find(connection: EntityManager, account: AccountId, id: string): Promise<UploadRow | null> {
    const [row] = await connection.query<UploadRow[]>(`SELECT ${COLUMNS} FROM upload WHERE account = $1 AND id = $2`, [account, id]);
    return row ?? null;
  }

  /** Uploads whose time is over, and those of which all bytes are there. */
  left(connection: EntityManager): Promise<UploadRow[]> {
    return connection.query(
      `SELECT ${COLUMNS} FROM upload WHERE state = 'open' AND (expires_at < now() OR received = declared_bytes) LIMIT 100`,
    );
  }

  async declare(tx: EntityManager, id: string, bytes: number): Promise<void> {
    await tx.query(`UPDATE upload SET declared_bytes = $2 WHERE id = $1 AND state = 'open'`, [id, bytes]);
  }

  /** Stores a piece; false when the upload is over or other bytes came meanwhile. */
  async addPart(tx: EntityManager, id: string, { start, bytes, path, sealed }: UploadPart): Promise<boolean> {
    const grown = `UPDATE upload SET received = received + $3 WHERE id = $1 AND state = 'open' AND received = $2 RETURNING 1`;
    const [rows] = await tx.query<[unknown[], number]>(grown, [id, start, bytes]);
    if (rows.length === 0) return false;
    await tx.query(`INSERT INTO upload_part (upload_id, start, bytes, path, sealed) VALUES ($1, $2, $3, $4, $5)`, [
      id,
      start,
      bytes,
      path,
      sealed,
    ]);
    return true;
  }

  parts(connection: EntityManager, id: string): Promise<UploadPart[]> {
    const all = `SELECT start::float8 AS start, bytes::float8 AS bytes, path, sealed FROM upload_part WHERE upload_id = $1 ORDER BY start`;
    return connection.query(all, [id]);
  }

  /** Removes all pieces; a PUT begins anew. */
  async clear(tx: EntityManager, id: string): Promise<void> {
    await tx.query(`DELETE FROM upload_part WHERE upload_id = $1`, [id]);
    await tx.query(`UPDATE upload SET received = 0 WHERE id = $1 AND state = 'open'`, [id]);
  }

  /** Ends an open upload; false when it is over already. */
  async end(tx: EntityManager, id: string, state: 'complete' | 'expired' | 'cancelled', version: number | null = null): Promise<boolean> {
    const ended = `UPDATE upload SET state = $2, version = $3 WHERE id = $1 AND state = 'open' RETURNING 1`;
    const [rows] = await tx.query<[unknown[], number]>(ended, [id, state, version]);
    return rows.length > 0;
  }
}
