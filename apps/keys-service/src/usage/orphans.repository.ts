import { Injectable } from '@nestjs/common';
import type { OrphanUsage } from '@slipway/contracts';
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

  /** Deletes and returns counts that have waited for `waitMs`, unparsed. Concurrent replicas take different ones. */
  async takeDue(tx: Tx, waitMs: number, limit: number): Promise<unknown[]> {
    const due: { st: string; record: unknown }[] = await tx.query(
      `SELECT st, record FROM usage.orphan WHERE received_at <= now() - make_interval(secs => $1 / 1000.0)
       ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [waitMs, limit],
    );
    if (due.length > 0) await tx.query(`DELETE FROM usage.orphan WHERE st = ANY($1)`, [due.map(({ st }) => st)]);
    return due.map(({ record }) => record);
  }
}
