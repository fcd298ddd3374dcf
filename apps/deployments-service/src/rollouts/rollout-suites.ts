import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type AccountId, EvaluateRollout, FindSuite, isServiceError, ServiceError, type SuiteId } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { RpcClient } from '@slipway/platform';
import { type Rollout, RolloutsRepository, type SuiteOutcome } from './rollouts.repository.js';
import { NOT_ASKED, outcomeOf } from './suite-check.js';

/** Answers of tuning-service after which asking again gives no other one. */
const LASTING = new Set(['suite_not_found', 'dataset_not_found', 'deployment_not_found', 'evaluation_not_found', 'invalid_request']);

/** Has tuning-service evaluate the candidates of rollouts, and keeps what comes of it. */
@Injectable()
export class RolloutSuites {
  constructor(
    private readonly transactions: Transactions,
    private readonly rollouts: RolloutsRepository,
    private readonly rpc: RpcClient,
  ) {}

  /**
   * Returns where a rollout may name the suite, and where tuning-service does not answer: the rollout then waits for it.
   * @throws ServiceError `suite_not_found`, `dataset_not_found`
   */
  async require(account: AccountId, suite: SuiteId): Promise<void> {
    try {
      const found = await this.rpc.call(FindSuite, { account, suite });
      if (found.suite.source_deleted) throw new ServiceError('dataset_not_found', "The suite's data set was deleted.", { param: 'suite' });
    } catch (error) {
      if (!isServiceError(error) || error.code !== 'unavailable') throw error;
    }
  }

  /** What the suite says of a running rollout; tuning-service is asked until that is final. Null = the rollout has no suite. */
  async look(rollout: Rollout): Promise<SuiteOutcome | null> {
    const { id, suite, suiteOutcome: before } = rollout;
    if (suite === null) return null;
    if (before !== null && before.state !== 'waiting' && before.state !== 'running') return before;
    const outcome = await this.#ask(rollout, suite);
    if (!isDeepStrictEqual(before, outcome)) await this.transactions.run((tx) => this.rollouts.setSuiteOutcome(tx, id, outcome));
    return outcome;
  }

  async #ask(rollout: Rollout, suite: SuiteId): Promise<SuiteOutcome> {
    const { id, account, stable, candidate, suiteActor, suiteOutcome } = rollout;
    const before = suiteOutcome ?? NOT_ASKED;
    try {
      const known = { evaluation: before.evaluation ?? undefined, actor: suiteActor ?? undefined };
      return outcomeOf(await this.rpc.call(EvaluateRollout, { account, rollout: id, suite, stable, candidate, ...known }));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const { code, message } = error;
      const detail = code === 'unavailable' ? 'tuning-service does not answer.' : message.slice(0, 500);
      return { ...before, state: LASTING.has(code) ? 'failed' : 'waiting', detail };
    }
  }
}
