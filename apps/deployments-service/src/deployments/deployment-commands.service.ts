import { Injectable } from '@nestjs/common';
import { type AccountId, type Actor, type AuditEntry, type DeploymentId, type ObservedState, ServiceError } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { AccountTransactions } from '../quotas/account-transactions.js';
import { AliasesRepository } from '../aliases/aliases.repository.js';
import { DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { deploymentNotFound } from './deployment-not-found.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { SettingBounds } from './setting-bounds.js';

/** A deployment as its owner names it. */
export interface DeploymentName {
  readonly account: AccountId;
  readonly deployment: DeploymentId;
}

/** A command, on whose behalf it is given. */
export interface DeploymentCommand extends DeploymentName {
  /** Absent where an older caller did not say. */
  readonly actor?: Actor | undefined;
}

/** A command with the name of its deployment at this time. */
type NamedCommand = DeploymentCommand & { readonly name: string };

/** What an owner's command makes of a deployment; the placer takes the state from there. */
const COMMANDS = {
  stop: { desired: 'stopped', state: 'stopping' },
  resume: { desired: 'ready', state: 'pending' },
} as const;

/** States in which something failed that may be tried again, and the state meanwhile: what answers goes on. */
const RETRIED: Partial<Record<ObservedState, ObservedState>> = { failed: 'pending', degraded: 'degraded' };

/** States in which nothing of a deployment serves or loads. */
const DELETABLE: readonly ObservedState[] = ['stopped', 'failed'];

/** What owners do with their deployments. */
@Injectable()
export class DeploymentCommandsService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly aliases: AliasesRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly bounds: SettingBounds,
    private readonly quotas: QuotasService,
  ) {}

  /** Gateways refuse new requests as soon as they hear of it; agents let running ones end within their grace. */
  stop(name: DeploymentCommand): Promise<{ deployment: DeploymentId; state: ObservedState }> {
    return this.#want(name, 'stop');
  }

  /** One that is wanted already is tried again at once where it failed, in whole or in part. */
  resume(name: DeploymentCommand): Promise<{ deployment: DeploymentId; state: ObservedState }> {
    return this.#want(name, 'resume');
  }

  async scale(command: DeploymentCommand & { replicas: number }): Promise<{ deployment: DeploymentId; replicas: number }> {
    const { account, deployment, replicas } = command;
    this.bounds.checkReplicas(replicas);
    await this.#change(command, async (tx) => {
      const before = await this.deployments.replicasOf(tx, account, deployment);
      await this.quotas.claim(tx, account, { replicas: replicas - before });
      const held = await this.deployments.hold(tx, account, deployment);
      if (!held || !(await this.deployments.scale(tx, account, deployment, replicas))) throw deploymentNotFound();
      await this.#writeDown(tx, { ...command, name: held.name }, 'deployment.scale', { replicas });
    });
    return { deployment, replicas };
  }

  /** Its aliases go in the same transaction: none can point at nothing. */
  async delete(command: DeploymentCommand): Promise<{ deployment: DeploymentId; aliases: string[] }> {
    const { account, deployment } = command;
    const names = await this.#change(command, async (tx) => {
      const held = await this.deployments.hold(tx, account, deployment);
      if (!held) throw deploymentNotFound();
      if (!DELETABLE.includes(held.state)) {
        throw new ServiceError('deployment_not_stopped', `This deployment is ${held.state}; stop it before you delete it.`, {
          param: 'deployment',
        });
      }
      const aliases = await this.aliases.removeAllOf(tx, account, deployment);
      for (const { removal } of aliases) await this.announcer.record(tx, removal);
      await this.announcer.record(tx, await this.deployments.delete(tx, deployment));
      await this.#writeDown(tx, { ...command, name: held.name }, 'deployment.delete', { aliases: aliases.length });
      return aliases.map(({ name }) => name);
    });
    return { deployment, aliases: names };
  }

  async #want(given: DeploymentCommand, command: keyof typeof COMMANDS): Promise<{ deployment: DeploymentId; state: ObservedState }> {
    const { account, deployment } = given;
    const state = await this.#change(given, async (tx) => {
      const held = await this.deployments.hold(tx, account, deployment);
      if (!held) throw deploymentNotFound();
      const target = COMMANDS[command];
      if (held.desired === target.desired)
        return command === 'resume' ? this.#retry(tx, { ...given, name: held.name }, held.state) : held.state;
      await this.announcer.record(tx, await this.deployments.want(tx, deployment, target));
      await this.#writeDown(tx, { ...given, name: held.name }, `deployment.${command}`);
      return target.state;
    });
    return { deployment, state };
  }

  async #retry(tx: Tx, given: NamedCommand, state: ObservedState): Promise<ObservedState> {
    const meanwhile = RETRIED[state];
    if (meanwhile === undefined) return state;
    await this.announcer.record(tx, await this.deployments.retry(tx, given.deployment, meanwhile));
    await this.#writeDown(tx, given, 'deployment.retry');
    return meanwhile;
  }

  async #writeDown(tx: Tx, { account, deployment, actor, name }: NamedCommand, action: string, facts?: AuditEntry['facts']): Promise<void> {
    await this.announcer.audit(tx, { account, actor, action, object: `deployment:${deployment}`, objectName: name, facts });
  }

  async #change<T>(command: DeploymentCommand, work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await this.transactions.run(command, work);
    this.announcer.committed();
    return result;
  }
}
