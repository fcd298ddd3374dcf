import { Injectable } from '@nestjs/common';
import type { EvaluationId } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

/** A conversation that is asked; `content` is sealed. */
export interface ItemRow {
  readonly n: number;
  readonly example: number;
  readonly content: string;
}

/** An answer of the deployment at a place; `content` is sealed. */
export interface AnswerRow {
  readonly n: number;
  readonly place: number;
  readonly content: string | null;
  readonly error: string | null;
  readonly passed: (boolean | null)[];
  readonly ms: number;
}

/** What a comparison with the baseline came to. */
export type Preference = 'better' | 'worse' | 'tie' | 'unread';

/** What a judge said in one of the two orders. */
export interface JudgementRow {
  readonly grader: number;
  readonly n: number;
  readonly place: number;
  readonly turn: number;
  readonly verdict: Preference;
}

/** What a person said. */
export interface VoteRow {
  readonly n: number;
  readonly place: number;
  readonly voter: number;
  readonly verdict: Exclude<Preference, 'unread'>;
}

/** Only while the evaluation runs: a run that was cancelled or whose leader was replaced adds nothing, and nothing twice. */
const WHILE_RUNNING = `WHERE EXISTS (SELECT FROM evaluation WHERE id = $1 AND state = 'running' FOR SHARE) ON CONFLICT DO NOTHING`;

@Injectable()
export class AnswersRepository {
  async addItems(tx: EntityManager, id: EvaluationId, items: readonly ItemRow[]): Promise<void> {
    const insert = `INSERT INTO evaluation_item (evaluation_id, n, example, content)
      SELECT $1, i.n, i.example, i.content FROM jsonb_to_recordset($2) AS i (n integer, example integer, content text) ${WHILE_RUNNING}`;
    await tx.query(insert, [id, JSON.stringify(items)]);
  }

  async addAnswer(tx: EntityManager, id: EvaluationId, { n, place, content, error, passed, ms }: AnswerRow): Promise<void> {
    const insert = `INSERT INTO evaluation_answer (evaluation_id, n, place, content, error, passed, ms)
      SELECT $1, $2, $3, $4, $5, $6, $7 ${WHILE_RUNNING}`;
    await tx.query(insert, [id, n, place, content, error, JSON.stringify(passed), ms]);
  }

  async addJudgement(tx: EntityManager, id: EvaluationId, { grader, n, place, turn, verdict }: JudgementRow): Promise<void> {
    const insert = `INSERT INTO evaluation_judgement (evaluation_id, grader, n, place, turn, verdict)
      SELECT $1, $2, $3, $4, $5, $6 ${WHILE_RUNNING}`;
    await tx.query(insert, [id, grader, n, place, turn, verdict]);
  }

  /** A second vote of a person replaces the first. */
  async vote(tx: EntityManager, id: EvaluationId, { n, place, voter, verdict }: VoteRow): Promise<void> {
    const upsert = `INSERT INTO evaluation_vote (evaluation_id, n, place, voter, verdict) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (evaluation_id, n, place, voter) DO UPDATE SET verdict = $5, at = now()`;
    await tx.query(upsert, [id, n, place, voter, verdict]);
  }

  items(connection: EntityManager, id: EvaluationId): Promise<ItemRow[]> {
    return connection.query(`SELECT n, example, content FROM evaluation_item WHERE evaluation_id = $1 ORDER BY n`, [id]);
  }

  answers(connection: EntityManager, id: EvaluationId): Promise<AnswerRow[]> {
    const all = `SELECT n, place, content, error, passed, ms FROM evaluation_answer WHERE evaluation_id = $1 ORDER BY n, place`;
    return connection.query(all, [id]);
  }

  /** The same without what was said: for figures. */
  scores(connection: EntityManager, id: EvaluationId): Promise<Omit<AnswerRow, 'content'>[]> {
    return connection.query(`SELECT n, place, error, passed, ms FROM evaluation_answer WHERE evaluation_id = $1 ORDER BY n, place`, [id]);
  }

  judgements(connection: EntityManager, id: EvaluationId): Promise<JudgementRow[]> {
    const all = `SELECT grader, n, place, turn, verdict FROM evaluation_judgement WHERE evaluation_id = $1 ORDER BY grader, n, place, turn`;
    return connection.query(all, [id]);
  }

  votes(connection: EntityManager, id: EvaluationId): Promise<VoteRow[]> {
    return connection.query(`SELECT n, place, voter, verdict FROM evaluation_vote WHERE evaluation_id = $1 ORDER BY n, place, voter`, [id]);
  }
}
