import { Injectable } from '@nestjs/common';
import { type PointAlias, type RemoveAlias, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import type { z } from 'zod';
import { DeploymentAnnouncer } from '../feed/deployment-announcer.js';
import { AliasesRepository } from './aliases.repository.js';

@Injectable()
export class AliasesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly aliases: AliasesRepository,
    private readonly announcer: DeploymentAnnouncer,
  ) {}

  /** Requests that have resolved the alias already keep their deployment. */
  async point(request: z.output<typeof PointAlias.request>): Promise<z.input<typeof PointAlias.reply>> {
    const { account, alias, deployment } = request;
    await this.transactions.run(async (tx) => {
      // The same answer for another account's deployment, so nothing can be learned.
      if (!(await this.aliases.holdDeployment(tx, account, deployment))) {
        throw new ServiceError('deployment_not_found', 'This account has no such deployment.', { param: 'deployment' });
      }
      const change = await this.aliases.point(tx, { account, name: alias, deployment });
      if (change) await this.announcer.record(tx, change);
    });
    return { alias, deployment };
  }

  /** Requests that have resolved the alias already keep their deployment. */
  async remove({ account, alias }: z.output<typeof RemoveAlias.request>): Promise<z.input<typeof RemoveAlias.reply>> {
    const removed = await this.transactions.run(async (tx) => {
      const change = await this.aliases.remove(tx, account, alias);
      if (change) await this.announcer.record(tx, change);
      return change !== null;
    });
    return { alias, removed };
  }
}
