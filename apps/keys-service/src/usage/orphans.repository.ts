import { Injectable } from '@nestjs/common';
import { type OrphanUsage, type StreamId, wholeStream } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** Counts of workers whose gateway died, until they are taken into the ledger. */
@Injectable()
export class OrphansRepository {
  /** Of several counts of one request, the highest is kept, with the time at which the first one came. */
  async put(tx: Tx, orphans: readonly OrphanUsage[]): Promise<void> {
    await tx.query(
      `INSERT INTO usage.orphan AS o (st, record)
       SELECT DISTINCT ON (r ->> 'st') r ->> 'st', r FROM jsonb_array_elements($1::jsonb) AS r
       ORDER BY r ->> 'st', (r ->> 'completion')::numeric DESC
       ON CONFLICT (st) DO UPDATE SET record = EXCLUDED.record
       WHERE (EXCLUDED.record ->> 'completion')::numeric > (o.record ->> 'completion')::numeric`,
      [JSON.stringify(orphans)],
    );
  }

  /** Whether claims without a time are valid: for a day after this release first ran on the database. */
  async acceptsUntimed(tx: Tx): Promise<boolean> {
    const rows: unknown[] = await tx.query(`SELECT FROM usage.claims_timed WHERE since > now() - make_interval(days => 1)`);
    return rows.length > 0;
  }

  /**
   * Deletes and returns counts that have waited for `waitMs`, unparsed, each with the counts of all other parts of its request.
   * One replica does so at a time: parts that several replicas took could not be added up.
   */
  async takeDue(tx: Tx, waitMs: number, limit: number): Promise<unknown[]> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage.orphan', 0))`);
    const due: { st: StreamId; record: unknown }[] = await tx.query(
      `SELECT st, record FROM usage.orphan WHERE received_at <= now() - make_interval(secs => $1 / 1000.0)
       ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [waitMs, limit],
    );
    if (due.length === 0) return [];
    await tx.query(`DELETE FROM usage.orphan WHERE st = ANY($1)`, [due.map(({ st }) => st)]);
    const parts = await this.#takeParts(tx, [...new Set(due.map(({ st }) => wholeStream(st)))]);
    return [...due, ...parts].map(({ record }) => record);
  }

  /** Counts of embeddings come in parts, and those of a request at nearly the same time. */
  async #takeParts(tx: Tx, requests: readonly StreamId[]): Promise<{ record: unknown }[]> {
    const [rows] = await tx.query<[{ record: unknown }[], number]>(
      `DELETE FROM usage.orphan WHERE record ->> 'api' = 'embeddings'
       AND coalesce(substring(st FROM '^([0-9A-Za-z]{22})_[0-9]{1,5}$'), st) = ANY($1) RETURNING record`,
      [requests],
    );
    return rows;
  }
}
