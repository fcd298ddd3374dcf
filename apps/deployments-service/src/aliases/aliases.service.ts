import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type AuditEntry,
  type DeploymentId,
  deploymentSlug,
  type ListAliases,
  type PointAlias,
  type RemoveAlias,
  ServiceError,
} from '@slipway/contracts';
import type { z } from 'zod';
import { AccountTransactions, type Tx } from '@slipway/database';
import { AdapterGate } from '../adapters/adapter-gate.js';
import { deploymentNotFound } from '../deployments/deployments.repository.js';
import type { OwnersAction } from '../events/events.repository.js';
import { DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { rolloutInProgress } from '../rollouts/rollout-changes.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { AliasesRepository } from './aliases.repository.js';

/** A change of an alias, and who asks for it. */
interface AliasChange {
  readonly account: AccountId;
  readonly alias: string;
  readonly actor?: Actor | undefined;
}

/** What the audit log says of it, and the deployments whose history shows it. */
interface AliasFacts {
  readonly facts: AuditEntry['facts'];
  readonly deployments: readonly DeploymentId[];
}

/** Lists, points and removes aliases. */
@Injectable()
export class AliasesService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly aliases: AliasesRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly quotas: QuotasService,
    private readonly gate: AdapterGate,
  ) {}

  async list({ account }: z.output<typeof ListAliases.request>): Promise<z.input<typeof ListAliases.reply>> {
    const rows = await this.transactions.read(account, (connection) => this.aliases.list(connection, account));
    return { aliases: rows.map(({ name, deployment, since }) => ({ alias: name, deployment, since: since.toISOString() })) };
  }

  /** Points an alias at a deployment. Requests that were resolved before keep their deployment. */
  async point(request: z.output<typeof PointAlias.request>): Promise<z.input<typeof PointAlias.reply>> {
    const { account, alias, deployment, from, override, actor } = request;
    await this.gate.require({ account, deployment, override, actor });
    await this.transactions.run(request, async (tx) => {
      if ((await this.aliases.targetOf(tx, account, alias)) === null) await this.quotas.claim(tx, account, { aliases: 1 });
      if (!(await this.aliases.lockDeployment(tx, account, deployment))) throw deploymentNotFound();
      const before = await this.aliases.targetOf(tx, account, alias);
      // Before the alias, as a deletion locks them: its event needs the deployment.
      const left = before !== null && (await this.aliases.lockDeployment(tx, account, before)) ? [before] : [];
      const canary = (await this.aliases.lock(tx, account, alias))?.canary ?? null;
      if (canary !== null && before !== deployment) throw rolloutInProgress({ alias, candidate: canary });
      const change = await this.aliases.point(tx, { account, name: alias, deployment, from });
      if (!change) return requireTarget(alias, await this.aliases.targetOf(tx, account, alias), deployment);
      await this.announcer.record(tx, change);
      const there = deploymentSlug(deployment);
      const facts = { deployment: before === null ? there : `${deploymentSlug(before)} → ${there}`, ...(override && { override }) };
      await this.#changed(tx, request, 'alias.point', { facts, deployments: [...left, deployment] });
    });
    return { alias, deployment };
  }

  /** Removes an alias. Requests that were resolved before keep their deployment. */
  async remove(request: z.output<typeof RemoveAlias.request>): Promise<z.input<typeof RemoveAlias.reply>> {
    const { account, alias } = request;
    const removed = await this.transactions.run(request, async (tx) => {
      const target = await this.aliases.targetOf(tx, account, alias);
      if (target !== null) await this.aliases.lockDeployment(tx, account, target);
      const canary = (await this.aliases.lock(tx, account, alias))?.canary ?? null;
      if (canary !== null) throw rolloutInProgress({ alias, candidate: canary });
      const change = await this.aliases.remove(tx, account, alias);
      if (!change) return false;
      await this.announcer.record(tx, change);
      const where =
        target === null ? { facts: {}, deployments: [] } : { facts: { deployment: deploymentSlug(target) }, deployments: [target] };
      await this.#changed(tx, request, 'alias.remove', where);
      return true;
    });
    return { alias, removed };
  }

  async #changed(tx: Tx, { account, alias, actor }: AliasChange, action: OwnersAction, change: AliasFacts): Promise<void> {
    const { facts, deployments } = change;
    const entry = { account, actor, action, object: `alias:${alias}`, objectName: alias, facts: { alias, ...facts } };
    await this.announcer.changed(tx, entry, ...deployments);
  }
}

/** For a call that changed nothing. @throws ServiceError `alias_taken` where the alias points at another deployment than `wanted` */
function requireTarget(alias: string, target: DeploymentId | null, wanted: DeploymentId): void {
  if (target === null || target === wanted) return;
  throw new ServiceError('alias_taken', `The alias ${alias} points at ${deploymentSlug(target)}, and was not moved.`, {
    param: 'alias',
  });
}
