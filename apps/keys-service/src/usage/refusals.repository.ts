import { Injectable } from '@nestjs/common';
import type { RefusedUsage } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** Names of the counts of refused requests that are in the sums. */
@Injectable()
export class RefusalsRepository {
  /** Notes their names. @returns those counts that were not noted before, each once */
  async putNew(tx: Tx, counts: readonly RefusedUsage[]): Promise<RefusedUsage[]> {
    const rows: { id: string }[] = await tx.query(
      `INSERT INTO usage.refusal (id, told_at)
       SELECT r.id, to_timestamp(max(r.started) / 1000.0) FROM unnest($1::text[], $2::bigint[]) AS r(id, started)
       GROUP BY r.id ORDER BY r.id ON CONFLICT (id) DO NOTHING RETURNING id`,
      [counts.map(({ id }) => id), counts.map(({ started }) => started)],
    );
    const fresh = new Set(rows.map(({ id }) => id));
    return counts.filter(({ id }) => fresh.delete(id));
  }

  /** Forgets those that were told more than `days` ago: no message comes again so late. */
  async prune(tx: Tx, days: number): Promise<void> {
    await tx.query(`DELETE FROM usage.refusal WHERE told_at < now() - make_interval(days => $1)`, [days]);
  }
}
