import { Injectable } from '@nestjs/common';
import type { AccountId, SuiteGate, SuiteId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';
import type { SuiteRow } from './evaluation-rows.js';

/** A suite to make. */
export type NewSuite = Omit<
  SuiteRow,
  'id' | 'created_at' | 'dataset_name' | 'agent_access' | 'gate_adapter' | 'gate_points' | 'evaluations'
>;

const SELECT = `
  SELECT s.id, s.account, s.name, s.dataset_id, s.version, s.sample, s.seed, s.graders, s.gate_adapter, s.gate_points, s.actor, s.actor_id,
    s.actor_name, s.created_at, d.name AS dataset_name, CASE WHEN d.deleted_at IS NULL THEN d.agent_access END AS agent_access,
    (SELECT count(*) FROM evaluation e WHERE e.suite_id = s.id)::integer AS evaluations
  FROM evaluation_suite s JOIN dataset d ON d.id = s.dataset_id WHERE s.account = $1`;

@Injectable()
export class SuitesRepository {
  async insert(tx: EntityManager, suite: NewSuite): Promise<SuiteId> {
    const entries = Object.entries({ ...suite, graders: JSON.stringify(suite.graders) });
    const places = entries.map((_, i) => `$${i + 1}`).join(', ');
    const insert = `INSERT INTO evaluation_suite (${entries.map(([name]) => name).join(', ')}) VALUES (${places}) RETURNING id`;
    const [row] = await tx.query<[{ id: SuiteId }]>(
      insert,
      entries.map(([, value]) => value),
    );
    return row.id;
  }

  /** By number or name; null when the account has no such suite. */
  async find(connection: EntityManager, account: AccountId, suite: SuiteId | string): Promise<SuiteRow | null> {
    const column = typeof suite === 'number' ? 'id' : 'name';
    const [row] = await connection.query<SuiteRow[]>(`${SELECT} AND s.${column} = $2`, [account, suite]);
    return row ?? null;
  }

  async lock(tx: EntityManager, account: AccountId, suite: SuiteId): Promise<SuiteRow | null> {
    await tx.query(`SELECT FROM evaluation_suite WHERE id = $1 AND account = $2 FOR UPDATE`, [suite, account]);
    return this.find(tx, account, suite);
  }

  /** A page by name, after `after`. */
  list(connection: EntityManager, account: AccountId, page: { after: string | null; limit: number }): Promise<SuiteRow[]> {
    return connection.query(`${SELECT} AND ($2::text IS NULL OR s.name > $2) ORDER BY s.name LIMIT $3`, [account, page.after, page.limit]);
  }

  /** Suites of the account, and those that are gates of this adapter. */
  async count(tx: EntityManager, account: AccountId, adapter: string | null = null): Promise<{ all: number; gates: number }> {
    const counts = `SELECT count(*)::integer AS all, count(*) FILTER (WHERE gate_adapter = $2)::integer AS gates FROM evaluation_suite
      WHERE account = $1`;
    const [row] = await tx.query<[{ all: number; gates: number }]>(counts, [account, adapter]);
    return row;
  }

  async setGate(tx: EntityManager, suite: SuiteId, gate: SuiteGate | null): Promise<void> {
    const update = `UPDATE evaluation_suite SET gate_adapter = $2, gate_points = $3 WHERE id = $1`;
    await tx.query(update, [suite, gate?.adapter ?? null, gate?.points ?? null]);
  }

  async delete(tx: EntityManager, suite: SuiteId): Promise<void> {
    await tx.query(`DELETE FROM evaluation_suite WHERE id = $1`, [suite]);
  }
}
