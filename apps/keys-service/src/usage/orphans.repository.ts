import { Injectable } from '@nestjs/common';
import type { OrphanUsage } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** What workers counted for gateways that are gone, until it is taken into the ledger. */
@Injectable()
export class OrphansRepository {
  /** Of several for one request, the one that counted most stays; the first one's time does. */
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

  /** Whether claims that say no time are still read: for a day after this release first ran on the database. */
  async isUntimedRead(tx: Tx): Promise<boolean> {
    const rows: unknown[] = await tx.query(`SELECT FROM usage.claims_timed WHERE since > now() - make_interval(days => 1)`);
    return rows.length > 0;
  }

  /** Takes those out that have waited for `waitMs`, as they were written; other replicas take others. */
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
