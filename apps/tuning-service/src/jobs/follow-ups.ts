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
      const message = `The adapter is served by deployment-${deployment}.`;
      await this.#note(row, { level: 'info', code: 'deployed', message, data: { deployment } });
    } catch (error) {
      if (!isServiceError(error) || error.code === 'unavailable') throw error;
      const message = `The adapter could not be deployed: ${error.message}`;
      await this.#note(row, { level: 'error', code: 'not_deployed', message, data: { code: error.code } });
    }
  }

  async #deploy(row: JobRow): Promise<DeploymentId> {
    const { alias, name } = row.follow.deploy ?? {};
    const { account, adapter_id: adapter } = row;
    if (adapter === null) throw new Error('A job without an adapter is not deployed.');
    const by = { actor: actorOf(row) };
    const wanted = { account, name: name ?? row.name, adapter: { id: adapter }, idempotency_key: `tuning-job-${row.id}` };
    const { id } = await this.rpc.call(CreateDeployment, { ...wanted, ...by });
    if (alias !== undefined) await this.rpc.call(PointAlias, { account, alias, deployment: id, ...by });
    return id;
  }

  async #note(row: JobRow, event: NewEvent): Promise<void> {
    await this.transactions.run(async (tx) => {
      const done = `UPDATE job SET followed_at = now() WHERE id = $1 AND followed_at IS NULL RETURNING 1`;
      const [rows] = await tx.query<[unknown[], number]>(done, [row.id]);
      if (rows.length > 0) await this.jobs.addEvent(tx, row.id, event);
    });
  }
}
