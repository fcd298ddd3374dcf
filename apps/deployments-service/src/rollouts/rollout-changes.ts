import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type AuditEntry,
  type DeploymentId,
  deploymentSlug,
  type RolloutFigures,
  ServiceError,
} from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { AliasesRepository, type LockedAlias } from '../aliases/aliases.repository.js';
import type { OwnersAction } from '../events/events.repository.js';
import { DeploymentAnnouncer } from '../placement/deployment-announcer.js';
import { type NewRollout, type Rollout, RolloutsRepository } from './rollouts.repository.js';

/** Who changes a rollout, and what is kept with it. */
export interface RolloutChange {
  readonly actor?: Actor | undefined;
  /** The service decided it, not a person. */
  readonly isOwn?: boolean;
  readonly reason?: string | null;
  /** The last figures, kept at the end. */
  readonly figures?: RolloutFigures | null;
}

type RolloutAction = Extract<OwnersAction, `rollout.${string}`>;

/** The error for a change of an alias or deployment that a running rollout needs as it is. */
export const rolloutInProgress = ({ alias, candidate }: Pick<Rollout, 'alias' | 'candidate'>, param = 'alias'): ServiceError =>
  new ServiceError(
    'rollout_in_progress',
    `A rollout moves the alias ${alias} to ${deploymentSlug(candidate)}. Promote it or roll it back first.`,
    { param },
  );

/**
 * The steps of rollouts, each within the caller's transaction: the alias, the rollout, the feed, events and the audit log change
 * together. Deployments are locked first, then the alias, which stands for its rollout.
 */
@Injectable()
export class RolloutChanges {
  constructor(
    private readonly rollouts: RolloutsRepository,
    private readonly aliases: AliasesRepository,
    private readonly announcer: DeploymentAnnouncer,
  ) {}

  /** The newest rollout of an alias, with its deployments and the alias locked; null = none. */
  async lock(tx: Tx, account: AccountId, alias: string): Promise<{ rollout: Rollout; alias: LockedAlias } | null> {
    const seen = await this.rollouts.newest(tx, account, alias);
    if (!seen) return null;
    await this.#lockDeployments(tx, seen);
    const locked = await this.aliases.lock(tx, account, alias);
    const rollout = await this.rollouts.newest(tx, account, alias);
    return locked && rollout && { rollout, alias: locked };
  }

  /** Stores a rollout whose alias is locked, and takes its first step. */
  async start(tx: Tx, wanted: NewRollout, change: RolloutChange): Promise<Rollout> {
    const rollout = await this.rollouts.insert(tx, wanted);
    const [percent = 100] = rollout.steps;
    const { override, suite } = wanted;
    const facts = { percent, ...(override !== null && { override }), ...(suite !== null && { suite }) };
    await this.#announce(tx, { rollout, action: 'rollout.start', facts, change });
    await this.#enter(tx, rollout, 0, change);
    return rollout;
  }

  /** The step after the present one of a locked running rollout; the promotion after the last one. */
  async advance(tx: Tx, rollout: Rollout, change: RolloutChange): Promise<void> {
    const step = rollout.atStep + 1;
    const percent = rollout.steps[step] ?? 100;
    if (percent < 100) await this.#announce(tx, { rollout, action: 'rollout.advance', facts: { percent }, change });
    await this.#enter(tx, rollout, step, change);
  }

  /** Points the alias of a locked running rollout at the candidate. */
  async promote(tx: Tx, rollout: Rollout, change: RolloutChange): Promise<void> {
    const { stable, candidate, id } = rollout;
    await this.#settle(tx, rollout, [candidate, stable]);
    await this.rollouts.end(tx, id, { state: 'promoted', reason: change.reason ?? null, figures: change.figures ?? null });
    await this.#announce(tx, { rollout, action: 'rollout.promote', facts: { percent: 100 }, change });
  }

  /** Sends all requests of a locked alias to the stable deployment. */
  async back(tx: Tx, rollout: Rollout, change: RolloutChange): Promise<void> {
    const { stable, candidate, id } = rollout;
    await this.#settle(tx, rollout, [stable, candidate]);
    await this.rollouts.end(tx, id, { state: 'rolled_back', reason: change.reason ?? null, figures: change.figures ?? null });
    await this.#announce(tx, { rollout, action: 'rollout.back', facts: { percent: 0, reason: change.reason ?? null }, change });
  }

  /**
   * Before a locked deployment is stopped or deleted: takes back the rollouts whose candidate it is.
   * @throws ServiceError `rollout_in_progress` where it is the stable side of one
   */
  async leave(tx: Tx, { account, deployment }: { account: AccountId; deployment: DeploymentId }, change: RolloutChange): Promise<void> {
    const named = await this.rollouts.runningWith(tx, account, deployment);
    const stable = named.find((rollout) => rollout.stable === deployment);
    if (stable) throw rolloutInProgress(stable, 'deployment');
    for (const { alias } of named) {
      const locked = await this.lock(tx, account, alias);
      if (locked?.rollout.state === 'running') await this.back(tx, locked.rollout, change);
    }
  }

  /** Ends what is left of ended rollouts: at a deployment that is to be deleted, or everywhere after an hour. */
  async forgetSides(tx: Tx, deployment: DeploymentId | null): Promise<void> {
    for (const change of await this.aliases.forgetSides(tx, deployment)) await this.announcer.record(tx, change);
  }

  /** Points the alias at one side. At the other one responses are looked up as long as they are stored, and nothing else is asked. */
  async #settle(tx: Tx, { account, alias: name }: Rollout, [side, other]: readonly [DeploymentId, DeploymentId]): Promise<void> {
    const left = (await this.aliases.stores(tx, account, other)) ? { deployment: other, percent: 0 } : null;
    await this.announcer.record(tx, await this.aliases.share(tx, { account, name, deployment: side }, left));
  }

  async #enter(tx: Tx, rollout: Rollout, step: number, change: RolloutChange): Promise<void> {
    const { account, alias: name, stable, candidate, id, steps } = rollout;
    const percent = steps[step] ?? 100;
    if (step < steps.length) await this.rollouts.setStep(tx, id, step);
    if (percent === 100) return this.promote(tx, rollout, change);
    const canary = { deployment: candidate, percent };
    return this.announcer.record(tx, await this.aliases.share(tx, { account, name, deployment: stable }, canary));
  }

  /** Events need their deployments, which may be gone when a promoted rollout is rolled back. */
  async #lockDeployments(tx: Tx, { account, stable, candidate }: Rollout): Promise<DeploymentId[]> {
    const there: DeploymentId[] = [];
    for (const id of [stable, candidate].toSorted((a, b) => a - b)) {
      if (await this.aliases.lockDeployment(tx, account, id)) there.push(id);
    }
    return there;
  }

  async #announce(
    tx: Tx,
    step: { rollout: Rollout; action: RolloutAction; facts: AuditEntry['facts']; change: RolloutChange },
  ): Promise<void> {
    const { rollout, action, facts, change } = step;
    const { account, alias, stable, candidate } = rollout;
    const [from, to] = [stable, candidate].map(deploymentSlug);
    const entry = { account, actor: change.actor, action, object: `alias:${alias}`, objectName: alias };
    const named = { alias, deployment: `${from} → ${to}`, ...facts };
    const there = await this.#lockDeployments(tx, rollout);
    await this.announcer.changed(tx, { ...entry, facts: named, isOwn: change.isOwn ?? false }, ...there);
  }
}
