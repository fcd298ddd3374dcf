import { Injectable } from '@nestjs/common';
import type { DeploymentFeedRecord } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { FeedSource } from '@slipway/feed';
import { type EntityManager, MoreThan } from 'typeorm';
import { AliasEntity } from '../aliases/alias.entity.js';
import { aliasRecordOf } from '../aliases/aliases.repository.js';
import { DeploymentEntity } from '../deployments/deployment.entity.js';
import { recordOf } from '../deployments/deployments.repository.js';
import type { FeedRecord } from './feed-records.js';

/** A position in the order of records: deployments by id, then aliases by account and name. */
type Position = { readonly deployment: number } | { readonly account: number; readonly name: string };

const START: Position = { deployment: 0 };

function readPosition(id: string): Position {
  const deployment = /^deployment:(\d+)$/.exec(id);
  if (deployment) return { deployment: Number(deployment[1]) };
  const [, account = '0', name = ''] = /^alias:(\d+)\/(.+)$/.exec(id) ?? [];
  return { account: Number(account), name };
}

/** Reads all records of the deployment feed, in pages. */
@Injectable()
export class FeedSourceRepository implements FeedSource<DeploymentFeedRecord> {
  constructor(private readonly transactions: Transactions) {}

  page(after: string | null, limit: number): Promise<readonly FeedRecord[]> {
    const position = after === null ? START : readPosition(after);
    return this.transactions.read(async (connection) => {
      if (!('deployment' in position)) return this.#aliases(connection, position, limit);
      const deployments = await this.#deployments(connection, position.deployment, limit);
      const room = limit - deployments.length;
      return room === 0 ? deployments : [...deployments, ...(await this.#aliases(connection, { account: 0, name: '' }, room))];
    });
  }

  async #deployments(connection: EntityManager, after: number, limit: number): Promise<FeedRecord[]> {
    const rows = await connection.find(DeploymentEntity, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit });
    return rows.map(recordOf);
  }

  async #aliases(connection: EntityManager, after: { account: number; name: string }, limit: number): Promise<FeedRecord[]> {
    const rows = await connection
      .createQueryBuilder(AliasEntity, 'a')
      .where('(a.account, a.name) > (:account, :name)', after)
      .orderBy({ 'a.account': 'ASC', 'a.name': 'ASC' })
      .take(limit)
      .getMany();
    return rows.map(aliasRecordOf);
  }
}
