import { Injectable } from '@nestjs/common';
import type { AccountId, AdapterId, AdapterImportView, ImportPart, ImportState, UploadId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { type ActorColumns, changedBy } from '../actor-columns.js';

/** A row of `adapter_import`. */
export interface ImportRow extends ActorColumns {
  readonly upload_id: UploadId;
  readonly account: AccountId;
  readonly name: string;
  readonly base: string | null;
  readonly base_sha256: string | null;
  readonly blob: string | null;
  readonly parts: ImportPart[] | null;
  /** Asked for its witness, beside ordinary questions; null once it was checked. */
  readonly prompts: string[] | null;
  readonly state: ImportState;
  readonly reason: AdapterImportView['reason'];
  readonly detail: string | null;
  readonly worker: string | null;
  readonly tries: number;
  readonly adapter_id: AdapterId | null;
  readonly created_at: Date;
  readonly arrived_at: Date | null;
}

/** An import to make. */
export type NewImport = Pick<ImportRow, 'upload_id' | 'account' | 'name' | 'base' | 'base_sha256' | 'prompts'> & ActorColumns;

/** Columns of an import that change. */
export type ImportChange = Partial<Omit<ImportRow, 'upload_id' | 'account' | 'name' | 'created_at' | keyof ActorColumns>>;

const COLUMNS = `upload_id, account, name, base, base_sha256, blob, parts, prompts, state, reason, detail, worker, tries, adapter_id, actor, actor_id,
  actor_name, created_at, arrived_at`;
const NEW = ['upload_id', 'account', 'name', 'base', 'base_sha256', 'prompts', 'actor', 'actor_id', 'actor_name'] as const;

/** Adapters that come from outside, by their uploads. */
@Injectable()
export class AdapterImportsRepository {
  async insert(tx: EntityManager, made: NewImport): Promise<void> {
    const places = NEW.map((_, i) => `$${i + 1}`).join(', ');
    await tx.query(
      `INSERT INTO adapter_import (${NEW.join(', ')}) VALUES (${places})`,
      NEW.map((name) => jsonOf(name, made[name])),
    );
  }

  /** Null when the account has no such import. */
  async find(connection: EntityManager, account: AccountId, upload: string): Promise<ImportRow | null> {
    const one = `SELECT ${COLUMNS} FROM adapter_import WHERE account = $1 AND upload_id = $2`;
    const [row] = await connection.query<ImportRow[]>(one, [account, upload]);
    return row ?? null;
  }

  /** The same, and locks it until the transaction ends. */
  async lock(tx: EntityManager, account: AccountId, upload: string): Promise<ImportRow | null> {
    await tx.query(`SELECT FROM adapter_import WHERE account = $1 AND upload_id = $2 FOR UPDATE`, [account, upload]);
    return this.find(tx, account, upload);
  }

  /** Imports of the last week, newest first; at most 50. */
  list(connection: EntityManager, account: AccountId): Promise<ImportRow[]> {
    return connection.query(
      `SELECT ${COLUMNS} FROM adapter_import WHERE account = $1 AND created_at > now() - interval '7 days' ORDER BY created_at DESC LIMIT 50`,
      [account],
    );
  }

  /** Imports that wait for a worker, or have one; the oldest first. */
  open(connection: EntityManager): Promise<ImportRow[]> {
    return connection.query(
      `SELECT ${COLUMNS} FROM adapter_import WHERE state IN ('waiting', 'checking') ORDER BY arrived_at, upload_id LIMIT 100`,
    );
  }

  async change(tx: EntityManager, upload: string, change: ImportChange): Promise<void> {
    const entries = Object.entries(change).filter(([, value]) => value !== undefined);
    const set = entries.map(([name], i) => `${name} = $${i + 2}`).join(', ');
    const values = entries.map(([name, value]) => jsonOf(name, value));
    await tx.query(`UPDATE adapter_import SET ${set} WHERE upload_id = $1`, [upload, ...values]);
  }

  /** Ends the import of an upload that ended without its bytes; nothing for uploads into data sets. */
  async cancel(tx: EntityManager, upload: string): Promise<void> {
    await tx.query(`UPDATE adapter_import SET state = 'cancelled' WHERE upload_id = $1 AND state = 'uploading'`, [upload]);
  }
}

const jsonOf = (name: string, value: unknown): unknown =>
  (name === 'parts' || name === 'prompts') && value !== null ? JSON.stringify(value) : value;

/** An import as people see it. */
export const importView = (row: ImportRow): z.input<typeof AdapterImportView> => ({
  ...{ upload: row.upload_id, name: row.name, state: row.state, detail: row.detail, base: row.base },
  reason: row.reason as z.input<typeof AdapterImportView>['reason'],
  adapter: row.adapter_id,
  created_by: changedBy(row),
  created_at: row.created_at.toISOString(),
});

/** Identifies an import in `blob_use`. */
export const importOwner = (upload: string): string => `import:${upload}`;
