import { Injectable } from '@nestjs/common';
import type { Incarnation } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** A name with the key that it is for. */
export interface NamedKey {
  readonly wk: Incarnation;
  readonly key: string;
}

@Injectable()
export class WorkerNamesRepository {
  /** Forgets names whose end is long past, and counts those that are left. */
  async sweep(tx: Tx, endedBefore: Date): Promise<number> {
    await tx.query(`DELETE FROM keys.worker_name WHERE expires_at < $1`, [endedBefore]);
    const rows = await tx.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM keys.worker_name`);
    return rows[0]?.count ?? 0;
  }

  /** Gives names to keys, or prolongs what they have. @returns the names that are theirs now; the others belong to other keys */
  async claim(tx: Tx, names: readonly NamedKey[], { host, expiresAt }: { host: string | null; expiresAt: Date }): Promise<Set<string>> {
    const rows = await tx.query<{ wk: string }[]>(
      `INSERT INTO keys.worker_name AS n (wk, public_key, host, expires_at)
       SELECT wk, public_key, $3, $4 FROM unnest($1::text[], $2::text[]) AS given (wk, public_key)
       ON CONFLICT (wk) DO UPDATE SET expires_at = EXCLUDED.expires_at WHERE n.public_key = EXCLUDED.public_key
       RETURNING wk`,
      [names.map(({ wk }) => wk), names.map(({ key }) => key), host, expiresAt],
    );
    return new Set(rows.map(({ wk }) => wk));
  }
}
