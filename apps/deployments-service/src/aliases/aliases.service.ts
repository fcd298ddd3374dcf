import { Injectable } from '@nestjs/common';
import { type DeploymentId, deploymentSlug, type ListAliases, type PointAlias, type RemoveAlias, ServiceError } from '@slipway/contracts';
import type { z } from 'zod';
import { AccountTransactions } from '../quotas/account-transactions.js';
import { deploymentNotFound } from '../deployments/deployments.repository.js';
import { DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { AliasesRepository } from './aliases.repository.js';

/** Lists, points and removes aliases. */
@Injectable()
export class AliasesService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly aliases: AliasesRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly quotas: QuotasService,
  ) {}

  async list({ account }: z.output<typeof ListAliases.request>): Promise<z.input<typeof ListAliases.reply>> {
    const rows = await this.transactions.read(account, (connection) => this.aliases.list(connection, account));
    return { aliases: rows.map(({ name, deployment, since }) => ({ alias: name, deployment, since: since.toISOString() })) };
  }

  /** Points an alias at a deployment. Requests that were resolved before keep their deployment. */
  async point(request: z.output<typeof PointAlias.request>): Promise<z.input<typeof PointAlias.reply>> {
    const { account, alias, deployment, from, actor } = request;
    await this.transactions.run(request, async (tx) => {
      if ((await this.aliases.targetOf(tx, account, alias)) === null) await this.quotas.claim(tx, account, { aliases: 1 });
      if (!(await this.aliases.lockDeployment(tx, account, deployment))) throw deploymentNotFound();
      const before = await this.aliases.targetOf(tx, account, alias);
      const change = await this.aliases.point(tx, { account, name: alias, deployment, from });
      if (!change) return requireTarget(alias, await this.aliases.targetOf(tx, account, alias), deployment);
      await this.announcer.record(tx, change);
      const facts = {
        deployment: before === null ? deploymentSlug(deployment) : `${deploymentSlug(before)} → ${deploymentSlug(deployment)}`,
      };
      await this.announcer.audit(tx, { account, actor, action: 'alias.point', object: `alias:${alias}`, objectName: alias, facts });
    });
    return { alias, deployment };
  }

  /** Removes an alias. Requests that were resolved before keep their deployment. */
  async remove(request: z.output<typeof RemoveAlias.request>): Promise<z.input<typeof RemoveAlias.reply>> {
    const { account, alias, actor } = request;
    const removed = await this.transactions.run(request, async (tx) => {
      const change = await this.aliases.remove(tx, account, alias);
      if (!change) return false;
      await this.announcer.record(tx, change);
      await this.announcer.audit(tx, { account, actor, action: 'alias.remove', object: `alias:${alias}`, objectName: alias });
      return true;
    });
    return { alias, removed };
  }
}

/** For a call that changed nothing. @throws ServiceError `alias_taken` where the alias points at another deployment than `wanted` */
function requireTarget(alias: string, target: DeploymentId | null, wanted: DeploymentId): void {
  if (target === null || target === wanted) return;
  throw new ServiceError('alias_taken', `The alias ${alias} points at ${deploymentSlug(target)}, and was not moved.`, {
    param: 'alias',
  });
}
