import { Injectable } from '@nestjs/common';
import type { Incarnation, ReplicaLeft } from '@slipway/contracts';
import type { EntityManager } from 'typeorm';

/** After this time a row of an agent that is not connected is removed: names of agents do not come back. */
const KEPT = `interval '7 days'`;

/** Since when an agent is drained, and what its replicas wait for; `waits` is null until the placer has looked. */
export interface DrainedAgent {
  readonly since: Date;
  readonly waits: readonly ReplicaLeft[] | null;
}

/** Which agents are drained. */
@Injectable()
export class DrainedAgentsRepository {
  /** All of them, by name. */
  async all(connection: EntityManager): Promise<ReadonlyMap<string, DrainedAgent>> {
    const rows = await connection.query<(DrainedAgent & { wk: string })[]>(`SELECT wk, since, waits FROM drained_agent`);
    return new Map(rows.map(({ wk, ...drained }) => [wk, drained]));
  }

  /** @returns true if it was not drained */
  async add(tx: EntityManager, wk: Incarnation): Promise<boolean> {
    return (await tx.query<object[]>(`INSERT INTO drained_agent (wk) VALUES ($1) ON CONFLICT DO NOTHING RETURNING wk`, [wk])).length > 0;
  }

  /** @returns true if it was drained */
  async remove(tx: EntityManager, wk: Incarnation): Promise<boolean> {
    const [rows] = await tx.query<[object[], number]>(`DELETE FROM drained_agent WHERE wk = $1 RETURNING wk`, [wk]);
    return rows.length > 0;
  }

  /** Removes old rows of agents that are not connected. */
  async sweep(tx: EntityManager, connected: readonly Incarnation[]): Promise<void> {
    await tx.query(`DELETE FROM drained_agent WHERE since < now() - ${KEPT} AND NOT wk = ANY ($1)`, [connected]);
  }
}
