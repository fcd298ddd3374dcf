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
  /** Forgets names whose end is long past, and counts what is left: all names, and those of agents. */
  async sweep(tx: Tx, endedBefore: Date): Promise<{ names: number; agents: number }> {
    await tx.query(`DELETE FROM keys.worker_name WHERE expires_at < $1`, [endedBefore]);
    const rows = await tx.query<{ names: number; agents: number }[]>(
      `SELECT count(*)::int AS names, count(*) FILTER (WHERE wk = agent)::int AS agents FROM keys.worker_name`,
    );
    return rows[0] ?? { names: 0, agents: 0 };
  }

  /** Whether the name exists, whoever has it. */
  async exists(tx: Tx, wk: Incarnation): Promise<boolean> {
    return (await tx.query<unknown[]>(`SELECT 1 FROM keys.worker_name WHERE wk = $1`, [wk])).length > 0;
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

  /** Forgets the names of an agent's runners that were renewed longest ago, beyond the `most` newest. */
  async trim(tx: Tx, agent: string, most: number): Promise<void> {
    await tx.query(
      `DELETE FROM keys.worker_name WHERE wk IN
         (SELECT wk FROM keys.worker_name WHERE agent = $1 AND wk <> $1 ORDER BY expires_at DESC, wk OFFSET $2)`,
      [agent, most],
    );
  }
}
