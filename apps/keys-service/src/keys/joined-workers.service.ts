import { Injectable } from '@nestjs/common';
import { type Actor, type Incarnation, type JoinedWorker, ServiceError, WORKERS_PAGE } from '@slipway/contracts';
import { AuditLog, Transactions } from '@slipway/database';
import type { z } from 'zod';
import { WorkerNamesRepository } from './worker-names.repository.js';

/** Shows operators who joined, and lets them expel one of them. */
@Injectable()
export class JoinedWorkers {
  constructor(
    private readonly transactions: Transactions,
    private readonly names: WorkerNamesRepository,
    private readonly audit: AuditLog,
  ) {}

  /** By name, behind `after`. */
  async list(after: string): Promise<{ workers: z.output<typeof JoinedWorker>[]; next: Incarnation | null }> {
    const found = await this.transactions.read((connection) => this.names.agents(connection, after, WORKERS_PAGE + 1));
    const workers = found.slice(0, WORKERS_PAGE).map(({ expiresAt, expelledAt, ...worker }) => ({
      ...worker,
      expires_at: expiresAt.toISOString(),
      expelled_at: expelledAt?.toISOString() ?? null,
    }));
    return { workers, next: found.length > WORKERS_PAGE ? (workers.at(-1)?.wk ?? null) : null };
  }

  /** @returns when the last proof of its names ends. @throws ServiceError `not_found` */
  expel(wk: Incarnation, actor: Actor): Promise<Date> {
    return this.transactions.run(async (tx) => {
      const expelled = await this.names.expel(tx, wk);
      if (!expelled) throw new ServiceError('not_found', 'There is no worker of this name.', { param: 'wk' });
      const { host, until, isNew } = expelled;
      const entry = { account: null, actor, action: 'worker.expel', object: `worker:${wk}`, objectName: host };
      if (isNew) await this.audit.record(tx, { ...entry, facts: { until: until.toISOString() } });
      return until;
    });
  }
}
