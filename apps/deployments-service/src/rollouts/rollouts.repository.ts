import { Injectable } from '@nestjs/common';
import type { AccountId, Actor, DeploymentId, RolloutFigures, RolloutGuard, RolloutState, RolloutSuite, SuiteId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import type { z } from 'zod';

/** Rollouts kept of each alias; the oldest go first. */
const KEPT = 20;

/** A rollout to start. */
export interface NewRollout {
  readonly account: AccountId;
  readonly alias: string;
  readonly stable: DeploymentId;
  readonly candidate: DeploymentId;
  readonly steps: readonly number[];
  /** Minutes of a step; null = by hand. */
  readonly minutes: number | null;
  readonly guard: RolloutGuard;
  /** Why an adapter with a bad verdict is served; null = it has none. */
  readonly override: string | null;
  /** By which the candidate is evaluated; null = by none. */
  readonly suite: SuiteId | null;
  /** Who ordered that; null = not known, or no suite. */
  readonly suiteActor: Actor | null;
}

/** What a suite says of the candidate, without its number. */
export type SuiteOutcome = Omit<z.input<typeof RolloutSuite>, 'suite'>;

/** A stored rollout. */
export interface Rollout extends NewRollout {
  readonly id: number;
  readonly state: RolloutState;
  readonly atStep: number;
  readonly reason: string | null;
  readonly figures: RolloutFigures | null;
  readonly startedAt: Date;
  /** When the step began, or the rollout ended. */
  readonly since: Date;
  /** First minute of the figures of the step. */
  readonly countedFrom: Date;
  /** Whether the minutes of the step are over, by the clock of the database. */
  readonly isDue: boolean;
  /** Null = the suite was not asked yet, or there is none. */
  readonly suiteOutcome: SuiteOutcome | null;
}

/** How a rollout ends. */
export interface RolloutEnd {
  readonly state: Exclude<RolloutState, 'running'>;
  readonly reason: string | null;
  readonly figures: RolloutFigures | null;
}

const COLUMNS = `id, account, alias, stable, candidate, state, steps, at_step AS "atStep", minutes, guard, override, reason, figures,
  suite, suite_actor AS "suiteActor", suite_outcome AS "suiteOutcome", started_at AS "startedAt", since, counted_from AS "countedFrom",
  coalesce(state = 'running' AND now() >= since + minutes * interval '1 minute', false) AS "isDue"`;

/**
 * Figures are summed by minute. Those of an earlier try in the present minute are left out, since it may have been taken back for
 * them.
 */
const COUNTED_FROM = `date_trunc('minute', now()) + CASE WHEN EXISTS (
    SELECT 1 FROM rollout WHERE account = $1 AND alias = $2 AND candidate = $4 AND since >= date_trunc('minute', now())
  ) THEN interval '1 minute' ELSE interval '0' END`;

const INSERT = `
  INSERT INTO rollout (account, alias, stable, candidate, steps, minutes, guard, override, suite, suite_actor, counted_from)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, ${COUNTED_FROM}) RETURNING ${COLUMNS}`;

const NEWEST = `SELECT ${COLUMNS} FROM rollout WHERE account = $1 AND alias = $2 ORDER BY id DESC LIMIT 1`;

/** Stores and reads rollouts. Changes are made by `RolloutChanges`, with the alias locked. */
@Injectable()
export class RolloutsRepository {
  /** Stores a rollout that begins now, and forgets the alias's oldest ones. */
  async insert(tx: Tx, rollout: NewRollout): Promise<Rollout> {
    const { account, alias, stable, candidate, steps, minutes, guard, override, suite, suiteActor: actor } = rollout;
    const values = [
      account,
      alias,
      stable,
      candidate,
      steps,
      minutes,
      JSON.stringify(guard),
      override,
      suite,
      actor && JSON.stringify(actor),
    ];
    const [row] = await tx.query<Rollout[]>(INSERT, values);
    if (!row) throw new Error('The database returned no row of a new rollout.');
    const old = `SELECT id FROM rollout WHERE account = $1 AND alias = $2 ORDER BY id DESC OFFSET ${KEPT}`;
    await tx.query(`DELETE FROM rollout WHERE id IN (${old})`, [account, alias]);
    return row;
  }

  /** The newest rollout of an alias; null = it never had one. */
  async newest(connection: Tx, account: AccountId, alias: string): Promise<Rollout | null> {
    const [row] = await connection.query<Rollout[]>(NEWEST, [account, alias]);
    return row ?? null;
  }

  /** The newest rollout of each alias of an account, by alias. */
  newestOfAll(connection: Tx, account: AccountId): Promise<Rollout[]> {
    const newest = `SELECT DISTINCT ON (alias) ${COLUMNS} FROM rollout WHERE account = $1 ORDER BY alias, id DESC`;
    return connection.query<Rollout[]>(newest, [account]);
  }

  /** Running rollouts of all accounts, oldest first. */
  running(connection: Tx): Promise<Rollout[]> {
    return connection.query<Rollout[]>(`SELECT ${COLUMNS} FROM rollout WHERE state = 'running' ORDER BY id`);
  }

  /** Running rollouts that name a deployment on either side. */
  runningWith(tx: Tx, account: AccountId, deployment: DeploymentId): Promise<Rollout[]> {
    const named = `account = $1 AND state = 'running' AND $2 IN (stable, candidate)`;
    return tx.query<Rollout[]>(`SELECT ${COLUMNS} FROM rollout WHERE ${named} ORDER BY id`, [account, deployment]);
  }

  /** Takes a step of a running rollout. */
  async setStep(tx: Tx, id: number, step: number): Promise<void> {
    const set = `at_step = $2, since = now(), counted_from = date_trunc('minute', now())`;
    await tx.query(`UPDATE rollout SET ${set} WHERE id = $1`, [id, step]);
  }

  /** Stores what the suite says of a running rollout, unless it has decided already. */
  async setSuiteOutcome(tx: Tx, id: number, outcome: SuiteOutcome): Promise<void> {
    const isOpen = `state = 'running' AND coalesce(suite_outcome->>'state', 'waiting') IN ('waiting', 'running')`;
    await tx.query(`UPDATE rollout SET suite_outcome = $2 WHERE id = $1 AND ${isOpen}`, [id, JSON.stringify(outcome)]);
  }

  async end(tx: Tx, id: number, { state, reason, figures }: RolloutEnd): Promise<void> {
    const set = `state = $2, reason = $3, figures = coalesce($4::jsonb, figures), since = now()`;
    await tx.query(`UPDATE rollout SET ${set} WHERE id = $1`, [id, state, reason, figures && JSON.stringify(figures)]);
  }
}
