import { Injectable } from '@nestjs/common';
import type { Incarnation } from '@slipway/contracts';
import type { Tx } from '@slipway/database';

/** The name of a worker's process, with the public key of its NATS user. */
export interface NamedKey {
  readonly wk: Incarnation;
  readonly key: string;
}

/** An agent that has joined. */
export interface KnownAgent {
  readonly wk: Incarnation;
  readonly host: string | null;
  readonly runners: number;
  readonly expiresAt: Date;
  readonly expelledAt: Date | null;
}

/** Rows of the names of workers' processes. */
@Injectable()
export class WorkerNamesRepository {
  /** Deletes names that expired before `expiredBefore`. @returns how many names are left, and how many of them are agents */
  async sweep(tx: Tx, expiredBefore: Date): Promise<{ names: number; agents: number }> {
    await tx.query(`DELETE FROM keys.worker_name WHERE expires_at < $1`, [expiredBefore]);
    const rows = await tx.query<{ names: number; agents: number }[]>(
      `SELECT count(*)::int AS names, count(*) FILTER (WHERE wk = agent)::int AS agents FROM keys.worker_name`,
    );
    return rows[0] ?? { names: 0, agents: 0 };
  }

  /** Whether the name is taken, by any key, and whether an operator expelled it. Locks its row until the transaction ends. */
  async status(tx: Tx, wk: Incarnation): Promise<'new' | 'known' | 'expelled'> {
    const [row] = await tx.query<{ expelled: boolean }[]>(
      `SELECT expelled_at IS NOT NULL AS expelled FROM keys.worker_name WHERE wk = $1 FOR UPDATE`,
      [wk],
    );
    if (!row) return 'new';
    return row.expelled ? 'expelled' : 'known';
  }

  /** Agents whose NATS user has not expired, by name. */
  async agents(connection: Tx, after: string, limit: number): Promise<KnownAgent[]> {
    return connection.query<KnownAgent[]>(
      `SELECT a.wk, a.host, a.expires_at AS "expiresAt", a.expelled_at AS "expelledAt",
         (SELECT count(*)::int FROM keys.worker_name r WHERE r.agent = a.wk AND r.wk <> a.wk AND r.expires_at > now()) AS runners
       FROM keys.worker_name a WHERE a.wk = a.agent AND a.wk > $1 AND a.expires_at > now() ORDER BY a.wk LIMIT $2`,
      [after, limit],
    );
  }

  /** @returns null where no known agent has this name; `until` is when the last of its names expires */
  async expel(tx: Tx, wk: Incarnation): Promise<{ host: string | null; until: Date; isNew: boolean } | null> {
    const [before] = await tx.query<{ host: string | null; expelled: boolean }[]>(
      `SELECT host, expelled_at IS NOT NULL AS expelled FROM keys.worker_name WHERE wk = $1 AND wk = agent FOR UPDATE`,
      [wk],
    );
    if (!before) return null;
    await tx.query(`UPDATE keys.worker_name SET expelled_at = coalesce(expelled_at, now()) WHERE wk = $1`, [wk]);
    const [end] = await tx.query<{ until: Date }[]>(`SELECT max(expires_at) AS until FROM keys.worker_name WHERE agent = $1`, [wk]);
    return end ? { host: before.host, until: end.until, isNew: !before.expelled } : null;
  }

  /** Gives names to keys, or renews them. @returns the names that these keys have now; the others belong to other keys */
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

  /** Deletes the names of an agent's runners beyond the `max` that were renewed last. */
  async trim(tx: Tx, agent: string, max: number): Promise<void> {
    await tx.query(
      `DELETE FROM keys.worker_name WHERE wk IN
         (SELECT wk FROM keys.worker_name WHERE agent = $1 AND wk <> $1 ORDER BY expires_at DESC, wk OFFSET $2)`,
      [agent, max],
    );
  }
}
