import { Inject, Injectable } from '@nestjs/common';
import {
  type AccountId,
  type CancelEvaluation,
  type ComparedDeployment,
  type CreateEvaluation,
  type DeleteEvaluation,
  type DeploymentId,
  type EvaluationId,
  FindDeployment,
  type FindEvaluation,
  type ListEvaluations,
  ServiceError,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, type Tx } from '@slipway/database';
import { CONFIG, fitting, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { actorColumns } from '../actor-columns.js';
import type { TuningServiceConfig } from '../config.js';
import { CreationsRepository } from '../creations.repository.js';
import { datasetNotFound } from '../datasets/dataset-access.js';
import { announceWork } from '../leader.js';
import { AnswersRepository } from './answers.repository.js';
import { comparedDeployment } from './compared-deployment.js';
import { type EvaluationRow, evaluationView, type SuiteRow } from './evaluation-rows.js';
import { judgeCalls } from './evaluation-run.js';
import { EvaluationsRepository } from './evaluations.repository.js';
import { resultsOf } from './results.js';
import { SuitesRepository } from './suites.repository.js';
import { readsText, suiteNotFound, tooMany } from './suites.service.js';

const PAGE_ROWS = 100;
/** Evaluations of one account: those that wait or run, and all. */
const [OPEN_MAX, ALL_MAX] = [10, 1_000];
const OVER = new Set(['succeeded', 'failed', 'cancelled']);

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Makes, lists, cancels and deletes evaluations. */
@Injectable()
export class EvaluationsService {
  // oxlint-disable-next-line slipway/max-params -- an evaluation joins a suite with deployments, within quotas, and is audited
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly suites: SuitesRepository,
    private readonly evaluations: EvaluationsRepository,
    private readonly answers: AnswersRepository,
    private readonly creations: CreationsRepository,
    private readonly audit: AuditLog,
    private readonly rpc: RpcClient,
    @Inject(CONFIG) private readonly config: TuningServiceConfig,
  ) {}

  async create(request: Request<typeof CreateEvaluation>): Reply<typeof CreateEvaluation> {
    const { account, suite: named, deployments, idempotency_key: key } = request;
    const suite = await this.transactions.read(account, (connection) => this.suites.find(connection, account, named));
    if (!suite) throw suiteNotFound();
    if (suite.agent_access === null) throw datasetNotFound();
    const judges = suite.graders.flatMap((grader) => (grader.kind === 'judge' ? [grader.deployment] : []));
    const compared = await Promise.all(deployments.map((deployment) => this.#compared(account, deployment)));
    await Promise.all(judges.map((judge) => this.#compared(account, judge)));
    const made = await this.transactions.run(request, (tx) =>
      this.creations.once(tx, { account, ...(key !== undefined && { key }) }, 'evaluation', () =>
        this.#insert(tx, request, suite, compared),
      ),
    );
    return { evaluation: made };
  }

  async #insert(
    tx: Tx,
    { account, actor }: Request<typeof CreateEvaluation>,
    suite: SuiteRow,
    deployments: ComparedDeployment[],
  ): Promise<EvaluationId> {
    const { graders, dataset_id, version, sample, seed } = suite;
    const calls = judgeCalls({ graders, deployments }, sample);
    await this.#claim(tx, account, calls);
    const asked = { dataset_id, version, sample, seed, graders };
    const row = { account, suite_id: suite.id, suite_name: suite.name, ...asked, deployments, judge_calls: calls, ...actorColumns(actor) };
    const evaluation = await this.evaluations.insert(tx, row);
    const facts = { suite: suite.name, deployments: deployments.map(({ deployment }) => deployment).join(' ') };
    const object = { object: `evaluation:${evaluation}`, objectName: suite.name };
    await this.audit.record(tx, { account, actor, action: 'evaluation.create', ...object, facts });
    await announceWork(tx);
    return evaluation;
  }

  /** @throws ServiceError `quota_exceeded` */
  async #claim(tx: Tx, account: AccountId, calls: number): Promise<void> {
    const counts = await this.evaluations.counts(tx, account);
    if (counts.open >= OPEN_MAX)
      throw new ServiceError('quota_exceeded', `${OPEN_MAX} evaluations wait or run already. Wait for one of them, or cancel one.`);
    if (counts.all >= ALL_MAX) throw tooMany(`${ALL_MAX} evaluations`);
    const { JUDGE_CALLS_PER_DAY: most } = this.config;
    if (calls === 0 || counts.calls + calls <= most) return;
    const message = `The judge would be asked ${calls} times; ${Math.max(0, most - counts.calls)} of ${most} calls are left within a day. Take a smaller sample, or fewer deployments.`;
    throw new ServiceError('quota_exceeded', message);
  }

  /** @throws ServiceError `deployment_not_found`, `unavailable` */
  async #compared(account: AccountId, deployment: DeploymentId): Promise<ComparedDeployment> {
    return comparedDeployment(await this.rpc.call(FindDeployment, { account, deployment }));
  }

  list(request: Request<typeof ListEvaluations>): Reply<typeof ListEvaluations> {
    const { account, suite = null, before = null } = request;
    return this.transactions.read(account, async (connection) => {
      const rows = await this.evaluations.list(connection, account, { suite, before, limit: PAGE_ROWS + 1 });
      const views = fitting(rows.slice(0, PAGE_ROWS).map((row) => evaluationView(row, row.summary ?? [], readsText(request, row))));
      return { evaluations: [...views], next: rows.length > views.length ? (views.at(-1)?.id ?? null) : null };
    });
  }

  find(request: Request<typeof FindEvaluation>): Reply<typeof FindEvaluation> {
    const { account, evaluation } = request;
    return this.transactions.read(account, async (connection) => {
      const row = await this.evaluations.find(connection, account, evaluation);
      if (!row) throw evaluationNotFound();
      const answers = await this.answers.scores(connection, evaluation);
      const [judgements, votes] = [await this.answers.judgements(connection, evaluation), await this.answers.votes(connection, evaluation)];
      return { evaluation: evaluationView(row, resultsOf(row, { answers, judgements, votes }), readsText(request, row)) };
    });
  }

  async cancel(request: Request<typeof CancelEvaluation>): Reply<typeof CancelEvaluation> {
    const { account, evaluation, actor } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.#lock(tx, account, evaluation);
      if (row.state === 'cancelled') return;
      if (!(await this.evaluations.end(tx, evaluation, { state: 'cancelled' }))) throw isOver(row);
      const object = { object: `evaluation:${evaluation}`, objectName: row.suite_name };
      await this.audit.record(tx, { account, actor, action: 'evaluation.cancel', ...object, facts: { done: row.done } });
      await announceWork(tx);
    });
    return { evaluation, state: 'cancelled' };
  }

  async delete(request: Request<typeof DeleteEvaluation>): Reply<typeof DeleteEvaluation> {
    const { account, evaluation, actor, proven_role: role } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.#lock(tx, account, evaluation);
      if (!OVER.has(row.state)) throw runs(row);
      const by = actorColumns(actor);
      const isMaker = row.actor === by.actor && row.actor_id === by.actor_id && by.actor_id !== null;
      if (role !== 'owner' && !isMaker) throw notTheMaker();
      await this.evaluations.delete(tx, evaluation);
      const object = { object: `evaluation:${evaluation}`, objectName: row.suite_name };
      await this.audit.record(tx, { account, actor, action: 'evaluation.delete', ...object, facts: { state: row.state } });
    });
    return { evaluation };
  }

  async #lock(tx: Tx, account: AccountId, evaluation: EvaluationId): Promise<EvaluationRow> {
    const row = await this.evaluations.lock(tx, account, evaluation);
    if (!row) throw evaluationNotFound();
    return row;
  }
}

/** The error for an evaluation that does not exist or belongs to another account; callers cannot tell which. */
export const evaluationNotFound = (): ServiceError =>
  new ServiceError('evaluation_not_found', 'This account has no such evaluation.', { param: 'evaluation' });

const isOver = ({ id, state }: EvaluationRow): ServiceError =>
  new ServiceError('evaluation_finished', `Evaluation ${id} is over: it has ${state}.`, { param: 'evaluation' });

const runs = ({ id, state }: EvaluationRow): ServiceError =>
  new ServiceError('evaluation_running', `Evaluation ${id} is ${state}. Cancel it first.`, { param: 'evaluation' });

const notTheMaker = (): ServiceError =>
  new ServiceError('not_permitted', 'Only an owner of the account may delete an evaluation that somebody else made.', {
    param: 'evaluation',
  });
