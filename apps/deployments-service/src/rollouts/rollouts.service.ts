import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type AdvanceRollout,
  type Actor,
  type DeploymentId,
  type FindRollout,
  type ListRollouts,
  type PromoteRollout,
  ROLLOUT_CHECKS,
  ROLLOUT_MINUTES,
  ROLLOUT_REQUESTS,
  ROLLOUT_STEPS,
  type RollBackRollout,
  ServiceError,
  type StartRollout,
} from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { AdapterGate } from '../adapters/adapter-gate.js';
import { AliasesRepository, type LockedAlias } from '../aliases/aliases.repository.js';
import { deploymentNotFound, DeploymentsRepository } from '../deployments/deployments.repository.js';
import { RolloutChanges, rolloutInProgress } from './rollout-changes.js';
import { rolloutView } from './rollout-view.js';
import { type NewRollout, type Rollout, RolloutsRepository } from './rollouts.repository.js';
import { RolloutSuites } from './rollout-suites.js';
import { SideFigures } from './side-figures.js';

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** The alias whose rollout is asked for. */
interface Named {
  readonly account: AccountId;
  readonly alias: string;
  readonly actor?: Actor | undefined;
}

/** Starts, shows and ends rollouts on behalf of people and agents. */
@Injectable()
export class RolloutsService {
  // oxlint-disable-next-line slipway/max-params -- a command checks its deployments, changes the rollout and shows its figures
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly rollouts: RolloutsRepository,
    private readonly changes: RolloutChanges,
    private readonly aliases: AliasesRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly gate: AdapterGate,
    private readonly figures: SideFigures,
    private readonly suites: RolloutSuites,
  ) {}

  async start(request: Request<typeof StartRollout>): Reply<typeof StartRollout> {
    const { account, alias, candidate, actor, override, suite } = request;
    const before = await this.transactions.read(account, (connection) => this.rollouts.newest(connection, account, alias));
    const isRunning = before?.state === 'running' && before.candidate === candidate;
    if (!isRunning) await this.gate.require({ account, deployment: candidate, override, actor });
    if (!isRunning && suite !== undefined) await this.suites.require(account, suite);
    const started = await this.transactions.run(request, async (tx) => {
      const locked = await this.#lockSides(tx, request);
      if (locked.canary === candidate) return null;
      if (locked.canary !== null) throw rolloutInProgress({ alias, candidate: locked.canary });
      if (locked.deployment === candidate) throw alreadyThere(alias);
      return this.changes.start(tx, wantedOf(request, locked.deployment), { actor });
    });
    if (started) await this.suites.look(started);
    return this.find(request);
  }

  async find({ account, alias }: Request<typeof FindRollout>): Reply<typeof FindRollout> {
    const found = await this.transactions.read(account, (connection) => this.rollouts.newest(connection, account, alias));
    if (!found) throw rolloutNotFound(alias, 'never had a rollout');
    const figures = found.state === 'running' ? ((await this.figures.of(found))?.shown ?? null) : found.figures;
    return { rollout: rolloutView(found, figures) };
  }

  async list({ account }: Request<typeof ListRollouts>): Reply<typeof ListRollouts> {
    const all = await this.transactions.read(account, (connection) => this.rollouts.newestOfAll(connection, account));
    return { rollouts: all.slice(0, 1_000).map((rollout) => ({ ...rolloutView(rollout, null), figures: null })) };
  }

  async advance(request: Request<typeof AdvanceRollout>): Reply<typeof AdvanceRollout> {
    const { actor, from_step: fromStep } = request;
    const seen = await this.#running(request);
    const isDone = fromStep !== undefined && seen.atStep > fromStep;
    if (isDone) return this.find(request);
    if ((seen.steps[seen.atStep + 1] ?? 100) === 100) await this.#requireCandidate(seen, request);
    const figures = await this.figures.of(seen);
    await this.transactions.run(request, async (tx) => {
      const { rollout } = await this.#lockRunning(tx, request);
      // Another call or the guard took the step meanwhile.
      if (rollout.id !== seen.id || rollout.atStep !== seen.atStep) return;
      await this.changes.advance(tx, rollout, { actor, figures: figures?.shown ?? null });
    });
    return this.find(request);
  }

  async promote(request: Request<typeof PromoteRollout>): Reply<typeof PromoteRollout> {
    const { account, alias, actor, override } = request;
    const seen = await this.transactions.read(account, (connection) => this.rollouts.newest(connection, account, alias));
    if (seen?.state === 'promoted') return this.find(request);
    if (seen?.state !== 'running') throw noneRuns(alias);
    await this.#requireCandidate(seen, { actor, override });
    const figures = await this.figures.of(seen);
    await this.transactions.run(request, async (tx) => {
      const locked = await this.changes.lock(tx, account, alias);
      if (locked?.rollout.id !== seen.id || locked.rollout.state === 'rolled_back') throw noneRuns(alias);
      if (locked.rollout.state === 'running') await this.changes.promote(tx, locked.rollout, { actor, figures: figures?.shown ?? null });
    });
    return this.find(request);
  }

  /** Asks no other service before it has rolled back: it must work when anything else is away. */
  async back(request: Request<typeof RollBackRollout>): Reply<typeof RollBackRollout> {
    const { account, alias, actor, reason = null } = request;
    await this.transactions.run(request, async (tx) => {
      const locked = await this.changes.lock(tx, account, alias);
      if (!locked) throw rolloutNotFound(alias, 'never had a rollout');
      const { rollout } = locked;
      if (rollout.state === 'rolled_back') return;
      if (rollout.state === 'promoted') await this.#requireReturn(tx, rollout, locked.alias);
      await this.changes.back(tx, rollout, { actor, reason });
    });
    return this.find(request);
  }

  /** @throws ServiceError where the alias cannot return from a promoted candidate */
  async #requireReturn(tx: Tx, { account, alias, stable, candidate }: Rollout, now: LockedAlias): Promise<void> {
    if (now.deployment !== candidate) throw rolloutNotFound(alias, 'was pointed at another deployment after its rollout');
    if (!(await this.aliases.lockDeployment(tx, account, stable))) throw deploymentNotFound();
  }

  async #requireCandidate({ account, candidate, override }: Rollout, by: { actor?: Actor | undefined; override?: string | undefined }) {
    await this.gate.require({ account, deployment: candidate, override: by.override ?? override, actor: by.actor });
  }

  async #running({ account, alias }: Named): Promise<Rollout> {
    const found = await this.transactions.read(account, (connection) => this.rollouts.newest(connection, account, alias));
    if (found?.state !== 'running') throw noneRuns(alias);
    return found;
  }

  async #lockRunning(tx: Tx, { account, alias }: Named): Promise<{ rollout: Rollout; alias: LockedAlias }> {
    const locked = await this.changes.lock(tx, account, alias);
    if (locked?.rollout.state !== 'running') throw noneRuns(alias);
    return locked;
  }

  /** Locks both deployments and the alias between them. */
  async #lockSides(tx: Tx, { account, alias, candidate }: Request<typeof StartRollout>): Promise<LockedAlias> {
    const stable = await this.aliases.targetOf(tx, account, alias);
    if (stable === null) throw aliasNotFound(alias);
    const ids: DeploymentId[] = [...new Set([stable, candidate])].toSorted((a, b) => a - b);
    for (const id of ids) if (!(await this.aliases.lockDeployment(tx, account, id))) throw deploymentNotFound();
    const locked = await this.aliases.lock(tx, account, alias);
    if (locked?.deployment !== stable) throw new ServiceError('unavailable', 'The alias was just moved. Try again.', { retryAfterS: 1 });
    const found = await this.deployments.find(tx, account, candidate);
    if (found?.desired === 'stopped') {
      throw new ServiceError('deployment_not_ready', 'The candidate is stopped. Resume it first.', { param: 'candidate' });
    }
    return locked;
  }
}

function wantedOf(request: Request<typeof StartRollout>, stable: DeploymentId): NewRollout {
  const { account, alias, candidate, steps = ROLLOUT_STEPS, minutes = ROLLOUT_MINUTES, guard = {}, override = null } = request;
  const { suite = null, actor } = request;
  const { requests = ROLLOUT_REQUESTS, checks = ROLLOUT_CHECKS } = guard;
  const asked = { suite, suiteActor: suite === null ? null : (actor ?? null) };
  return { account, alias, stable, candidate, steps, minutes, guard: { requests, checks: [...checks] }, override, ...asked };
}

const rolloutNotFound = (alias: string, why: string): ServiceError =>
  new ServiceError('rollout_not_found', `The alias ${alias} ${why}.`, { param: 'alias' });
const noneRuns = (alias: string): ServiceError => rolloutNotFound(alias, 'has no running rollout');
const aliasNotFound = (alias: string): ServiceError =>
  new ServiceError('alias_not_found', `This account has no alias ${alias}.`, { param: 'alias' });
const alreadyThere = (alias: string): ServiceError =>
  new ServiceError('invalid_request', `The alias ${alias} points at the candidate already.`, { param: 'candidate' });
