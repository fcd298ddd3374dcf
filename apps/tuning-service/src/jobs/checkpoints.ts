import { Injectable } from '@nestjs/common';
import type { Tx } from '@slipway/database';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import type { JobRow } from './job-rows.js';
import { checkpointOwner, RecordsRepository } from './records.repository.js';

/** Stored checkpoints of jobs, whose bytes count for the account until they are released. */
@Injectable()
export class Checkpoints {
  constructor(
    private readonly records: RecordsRepository,
    private readonly uses: BlobUsesRepository,
  ) {}

  /** Frees those of some steps. */
  async drop(tx: Tx, { id, account }: Pick<JobRow, 'id' | 'account'>, steps: readonly number[]): Promise<void> {
    if (steps.length === 0) return;
    await this.records.dropCheckpoints(tx, id, steps);
    await this.uses.release(
      tx,
      account,
      steps.map((step) => checkpointOwner(id, step)),
    );
  }

  /** Frees all of a job that needs none any more. */
  async dropAll(tx: Tx, job: Pick<JobRow, 'id' | 'account'>): Promise<void> {
    await this.drop(
      tx,
      job,
      (await this.records.checkpoints(tx, job.id)).map(({ step }) => step),
    );
  }
}
