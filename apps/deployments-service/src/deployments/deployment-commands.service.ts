import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type AuditEntry,
  type DeploymentId,
  type ObservedState,
  type RequestedReplicas,
  type ScaleDeployment,
  ServiceError,
} from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { mostOf, replicaFacts, replicasOf } from '../autoscaling/requested-replicas.js';
import type { OwnersAction } from '../events/events.repository.js';
import { AliasesRepository } from '../aliases/aliases.repository.js';
import { DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { deploymentNotFound, DeploymentsRepository } from './deployments.repository.js';
import { AdapterUses } from '../adapters/adapter-uses.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { RolloutChanges } from '../rollouts/rollout-changes.js';
import { SettingsPolicy } from './settings-policy.js';

/** The deployment that a request is about. */
export interface DeploymentName {
  readonly account: AccountId;
  readonly deployment: DeploymentId;
}

/** A command and who gives it. */
export interface DeploymentCommand extends DeploymentName {
  /** Absent in requests of older callers. */
  readonly actor?: Actor | undefined;
}

/** A command with the present name of its deployment, for the audit log. */
type NamedCommand = DeploymentCommand & { readonly name: string };

/** The states that a command writes. The placer updates the observed state from then on. */
const COMMANDS = {
  stop: { desired: 'stopped', state: 'stopping' },
  resume: { desired: 'ready', state: 'pending' },
} as const;

/** States in which a retry helps, each with the state during the retry. A degraded deployment goes on serving. */
const RETRIED: Partial<Record<ObservedState, ObservedState>> = { failed: 'pending', degraded: 'degraded' };

/** States in which no replica serves or loads. */
const DELETABLE: readonly ObservedState[] = ['stopped', 'failed'];

/** Stops, resumes, scales and deletes deployments. */
@Injectable()
export class DeploymentCommandsService {
  // oxlint-disable-next-line slipway/max-params -- a command counts, stores and announces; each dependency does one of these
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly deployments: DeploymentsRepository,
    private readonly aliases: AliasesRepository,
    private readonly announcer: DeploymentAnnouncer,
    private readonly policy: SettingsPolicy,
    private readonly quotas: QuotasService,
    private readonly uses: AdapterUses,
    private readonly rollouts: RolloutChanges,
  ) {}

  /** Stops a deployment: gateways refuse new requests when the feed has reached them; agents let running ones end within a grace period. */
  stop(name: DeploymentCommand): Promise<{ deployment: DeploymentId; state: ObservedState }> {
    return this.#setDesired(name, 'stop');
  }

  /** Starts a stopped deployment. One that is not stopped is retried at once if it failed or is degraded. */
  resume(name: DeploymentCommand): Promise<{ deployment: DeploymentId; state: ObservedState }> {
    return this.#setDesired(name, 'resume');
  }

  /** Fixes the number of replicas, or gives it to the load within a range. */
  async scale(command: DeploymentCommand & { replicas: RequestedReplicas }): Promise<z.input<typeof ScaleDeployment.reply>> {
    const { account, deployment, replicas: requested } = command;
    this.policy.checkReplicas(mostOf(replicasOf(requested, null)));
    const { count, range } = await this.#change(command, async (tx) => {
      const before = await this.deployments.replicasOf(tx, account, deployment);
      if (!before) throw deploymentNotFound();
      await this.quotas.claim(tx, account, { replicas: mostOf(replicasOf(requested, null)) - mostOf(before) });
      const locked = await this.deployments.lock(tx, account, deployment);
      if (!locked) throw deploymentNotFound();
      const replicas = replicasOf(requested, locked.replicas);
      await this.deployments.scale(tx, deployment, replicas);
      await this.#audit(tx, { ...command, name: locked.name }, 'deployment.scale', replicaFacts(replicas));
      return replicas;
    });
    return { deployment, replicas: count, replica_range: range };
  }

  /** Deletes a stopped or failed deployment with its aliases, in one transaction. Returns the aliases' names. */
  async delete(command: DeploymentCommand): Promise<{ deployment: DeploymentId; aliases: string[] }> {
    const { account, deployment } = command;
    const names = await this.#change(command, async (tx) => {
      const locked = await this.deployments.lock(tx, account, deployment);
      if (!locked) throw deploymentNotFound();
      if (!DELETABLE.includes(locked.state)) {
        throw new ServiceError('deployment_not_stopped', `This deployment is ${locked.state}; stop it before you delete it.`, {
          param: 'deployment',
        });
      }
      await this.rollouts.leave(tx, command, { actor: command.actor, reason: 'The candidate was deleted.' });
      await this.rollouts.forgetSides(tx, deployment);
      const aliases = await this.aliases.removeAllOf(tx, account, deployment);
      for (const { removal } of aliases) await this.announcer.record(tx, removal);
      await this.announcer.record(tx, await this.deployments.delete(tx, deployment));
      const entry = { account, actor: command.actor, action: 'deployment.delete', object: `deployment:${deployment}` };
      await this.announcer.audit(tx, { ...entry, objectName: locked.name, facts: { aliases: aliases.length } });
      return aliases.map(({ name }) => name);
    });
    this.uses.changed(account);
    return { deployment, aliases: names };
  }

  async #setDesired(given: DeploymentCommand, command: keyof typeof COMMANDS): Promise<{ deployment: DeploymentId; state: ObservedState }> {
    const { account, deployment } = given;
    const state = await this.#change(given, async (tx) => {
      const locked = await this.deployments.lock(tx, account, deployment);
      if (!locked) throw deploymentNotFound();
      const target = COMMANDS[command];
      if (locked.desired === target.desired)
        return command === 'resume' ? this.#retry(tx, { ...given, name: locked.name }, locked.state) : locked.state;
      if (command === 'stop') await this.rollouts.leave(tx, given, { actor: given.actor, reason: 'The candidate was stopped.' });
      await this.announcer.record(tx, await this.deployments.setDesired(tx, deployment, target));
      await this.#audit(tx, { ...given, name: locked.name }, `deployment.${command}`);
      return target.state;
    });
    return { deployment, state };
  }

  async #retry(tx: Tx, given: NamedCommand, state: ObservedState): Promise<ObservedState> {
    const meanwhile = RETRIED[state];
    if (meanwhile === undefined) return state;
    await this.announcer.record(tx, await this.deployments.retry(tx, given.deployment, meanwhile));
    await this.#audit(tx, given, 'deployment.retry');
    return meanwhile;
  }

  async #audit(
    tx: Tx,
    { account, deployment, actor, name }: NamedCommand,
    action: OwnersAction,
    facts?: AuditEntry['facts'],
  ): Promise<void> {
    const entry = { account, actor, action, object: `deployment:${deployment}`, objectName: name, facts };
    await this.announcer.changed(tx, entry, deployment);
  }

  async #change<T>(command: DeploymentCommand, work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await this.transactions.run(command, work);
    this.announcer.committed();
    return result;
  }
}
