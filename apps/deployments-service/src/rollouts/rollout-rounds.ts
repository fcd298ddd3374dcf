import { Inject, Injectable } from '@nestjs/common';
import { isServiceError } from '@slipway/contracts';
import { type AdvisoryLock, Database, Transactions, type Tx } from '@slipway/database';
import { CONFIG, LOG, type Logger } from '@slipway/platform';
import { AdapterGate } from '../adapters/adapter-gate.js';
import type { DeploymentsServiceConfig } from '../config.js';
import { hasEnough, worse } from './guard.js';
import { type RolloutChange, RolloutChanges } from './rollout-changes.js';
import { RolloutSuites } from './rollout-suites.js';
import { type Rollout, RolloutsRepository } from './rollouts.repository.js';
import { SideFigures, type StepFigures } from './side-figures.js';

/**
 * Looks at all running rollouts in rounds: takes back a candidate that is worse than stable, and takes the next step of one that is
 * not. One replica does so, elected by a database lock. What it decides is written only while the rollout is still at the step that
 * was judged, so a replica that lost the lock, or one that died in the middle, changes nothing twice.
 */
@Injectable()
export class RolloutRounds {
  readonly #lock: AdvisoryLock;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #leads = false;

  // oxlint-disable-next-line slipway/max-params -- a round reads figures, judges them and changes rollouts
  constructor(
    database: Database,
    private readonly transactions: Transactions,
    private readonly rollouts: RolloutsRepository,
    private readonly changes: RolloutChanges,
    private readonly figures: SideFigures,
    private readonly suites: RolloutSuites,
    private readonly gate: AdapterGate,
    @Inject(CONFIG) { ROLLOUT_CHECK_MS: everyMs }: DeploymentsServiceConfig,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.#everyMs = everyMs;
    this.#lock = database.lock({
      name: 'rollouts',
      acquired: () => {
        this.#leads = true;
        this.#schedule();
      },
      lost: () => this.#rest(),
    });
  }

  start(): void {
    this.#lock.start();
  }

  async stop(): Promise<void> {
    this.#rest();
    await this.#round;
    await this.#lock.stop();
  }

  #rest(): void {
    this.#leads = false;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#leads) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#look().finally(() => this.#schedule());
    }, this.#everyMs);
  }

  /** One round. Never rejects. */
  async #look(): Promise<void> {
    try {
      await this.transactions.run((tx) => this.changes.forgetSides(tx, null));
      for (const rollout of await this.transactions.read((connection) => this.rollouts.running(connection))) await this.#judge(rollout);
    } catch (error) {
      this.log.warn({ err: error }, 'rollouts.round_failed');
    }
  }

  async #judge(rollout: Rollout): Promise<void> {
    try {
      const [figures, suite] = await Promise.all([this.figures.of(rollout), this.suites.look(rollout)]);
      if (!this.#leads) return;
      if (suite?.state === 'worse') return await this.#back(rollout, suite.detail ?? 'The suite speaks against it.', figures);
      if (!figures) return;
      const reason = worse(rollout.guard, figures.sides);
      if (reason !== null) return await this.#back(rollout, reason, figures);
      const mayStep = rollout.isDue && (suite === null || suite.state === 'passed');
      if (mayStep && hasEnough(rollout.guard, figures.sides)) await this.#advance(rollout, figures);
    } catch (error) {
      this.log.warn({ err: error, rollout: rollout.id }, 'rollouts.not_judged');
    }
  }

  async #advance(rollout: Rollout, figures: StepFigures): Promise<void> {
    const { account, candidate: deployment, override, steps, atStep } = rollout;
    if ((steps[atStep + 1] ?? 100) === 100) {
      try {
        await this.gate.require({ account, deployment, override });
      } catch (error) {
        if (!isServiceError(error) || error.code !== 'gate_not_passed') throw error;
        return this.#back(rollout, error.message, figures);
      }
    }
    return this.#change(rollout, figures, (tx, now, change) => this.changes.advance(tx, now, change));
  }

  async #back(rollout: Rollout, reason: string, figures: StepFigures | null): Promise<void> {
    await this.#change(rollout, figures, (tx, now, change) => this.changes.back(tx, now, { ...change, reason }));
    this.log.info({ rollout: rollout.id, account_id: rollout.account }, 'rollouts.taken_back');
  }

  /** Changes a rollout unless it is over or at another step by now. */
  async #change(
    judged: Rollout,
    figures: StepFigures | null,
    make: (tx: Tx, rollout: Rollout, change: RolloutChange) => Promise<void>,
  ): Promise<void> {
    await this.transactions.run(async (tx) => {
      const locked = await this.changes.lock(tx, judged.account, judged.alias);
      if (!locked) return;
      const { id, state, atStep } = locked.rollout;
      if (id !== judged.id || state !== 'running' || atStep !== judged.atStep) return;
      await make(tx, locked.rollout, { isOwn: true, figures: figures?.shown ?? null });
    });
  }
}
