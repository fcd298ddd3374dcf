import { Injectable } from '@nestjs/common';
import { type ListBases, type MeasureDataset, ServiceError } from '@slipway/contracts';
import { AccountTransactions } from '@slipway/database';
import type { z } from 'zod';
import { datasetNotFound } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { notReady } from '../examples/version-errors.js';
import { announceWork } from '../leader.js';
import { baseView, TrainerTable } from '../trainers/trainer-table.js';
import { MeasuresRepository } from './measures.repository.js';

/** Lists bases, and has the tokens of versions counted. */
@Injectable()
export class MeasuresService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly measures: MeasuresRepository,
    private readonly table: TrainerTable,
  ) {}

  bases(): z.input<typeof ListBases.reply> {
    const bases = [...this.table.bases().values()].map(baseView).toSorted((a, b) => (a.base < b.base ? -1 : 1));
    return { bases, workers: this.table.live().length };
  }

  /** Counts that exist; otherwise a worker that has the base is asked to make them. */
  measure(request: z.output<typeof MeasureDataset.request>): Promise<z.input<typeof MeasureDataset.reply>> {
    const { account, dataset, version, base } = request;
    return this.transactions.read(account, async (connection) => {
      if (!(await this.datasets.find(connection, account, dataset))) throw datasetNotFound();
      const row = await this.versions.find(connection, { dataset, version });
      if (!row) throw datasetNotFound();
      if (row.state !== 'ready') throw notReady(row);
      const known = this.table.bases().get(base);
      if (!known && this.table.live().length === 0)
        throw new ServiceError('trainer_unavailable', 'No training worker is connected, which counts tokens.', { retryAfterS: 10 });
      if (!known) throw new ServiceError('base_not_found', `No connected training worker has the base ${base}.`, { param: 'base' });
      const measure = await this.measures.find(connection, request, known.base);
      if (!measure && (await this.measures.ask(connection, request, known.base))) await announceWork(connection);
      return { measure };
    });
  }
}
