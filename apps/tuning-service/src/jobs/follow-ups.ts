import { Inject, Injectable } from '@nestjs/common';
import { CreateDeployment, type DeploymentId, isServiceError, PointAlias } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { LOG, type Logger, RpcClient } from '@slipway/platform';
import { actorOf } from '../actor-columns.js';
import { Leader } from '../leader.js';
import { JOB_COLUMNS, type JobRow } from './job-rows.js';
import { JobsRepository, type NewEvent } from './jobs.repository.js';

/** Pause before a deployment is tried again, in milliseconds. */
const RETRY_MS = 5_000;
const DUE = `SELECT ${JOB_COLUMNS} FROM job j WHERE j.state = 'succeeded' AND j.followed_at IS NULL AND j.follow ? 'deploy'
  AND j.adapter_id IS NOT NULL ORDER BY j.id LIMIT 20`;

/** Deploys adapters of jobs that were to end with that, once their verdict is good. Made once: the job's number is the idempotency key. */
@Injectable()
export class FollowUps {
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(
    private readonly leader: Leader,
    private readonly transactions: Transactions,
    private readonly jobs: JobsRepository,
    private readonly rpc: RpcClient,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  start(): void {
    this.leader.on('elected', () => this.#look());
    this.leader.on('work', () => this.#look());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #look(): void {
    if (!this.leader.leads || this.#isStopped || this.#timer) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    try {
      for (const row of await this.transactions.read((connection) => connection.query<JobRow[]>(DUE))) await this.#follow(row);
    } catch (error) {
      this.log.warn({ err: error }, 'follow_up.failed');
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#look();
      }, RETRY_MS);
    }
  }

  /** @throws ServiceError `unavailable` while deployments-service is away */
  async #follow(row: JobRow): Promise<void> {
    if (row.passed !== true)
      return this.#note(row, {
        level: 'warn',
        code: 'not_deployed',
        message: 'The adapter is not deployed: it did not pass its gate.',
        data: {},
      });
    try {
      const deployment = await this.#deploy(row);
      const refused = await this.#point(row, deployment);
      const message = `The adapter is served by deployment-${deployment}.${refused}`;
      await this.#note(row, { level: refused === '' ? 'info' : 'warn', code: 'deployed', message, data: { deployment } });
    } catch (error) {
      if (!isServiceError(error) || error.code === 'unavailable') throw error;
      const message = `The adapter could not be deployed: ${error.message}`;
      await this.#note(row, { level: 'error', code: 'not_deployed', message, data: { code: error.code } });
    }
  }

  async #deploy(row: JobRow): Promise<DeploymentId> {
    const { name } = row.follow.deploy ?? {};
    const { account, adapter_id: adapter } = row;
    if (adapter === null) throw new Error('A job without an adapter is not deployed.');
    const wanted = { account, name: name ?? row.name, adapter: { id: adapter }, idempotency_key: `tuning-job-${row.id}` };
    return (await this.rpc.call(CreateDeployment, { ...wanted, actor: actorOf(row) })).id;
  }

  /** @returns why the alias stays where it is; empty = it leads to the deployment, or none was wanted */
  async #point(row: JobRow, deployment: DeploymentId): Promise<string> {
    const { alias } = row.follow.deploy ?? {};
    if (alias === undefined) return '';
    try {
      await this.rpc.call(PointAlias, { account: row.account, alias, deployment, actor: actorOf(row) });
      return '';
    } catch (error) {
      if (!isServiceError(error) || error.code === 'unavailable') throw error;
      return ` The alias ${alias} was not pointed at it: ${error.message}`;
    }
  }

  async #note(row: JobRow, event: NewEvent): Promise<void> {
    await this.transactions.run(async (tx) => {
      const done = `UPDATE job SET followed_at = now() WHERE id = $1 AND followed_at IS NULL RETURNING 1`;
      const [rows] = await tx.query<[unknown[], number]>(done, [row.id]);
      if (rows.length > 0) await this.jobs.addEvent(tx, row.id, event);
    });
  }
}
