import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { type AccountId, type CompareVersions, type DownloadDataset, ServiceError } from '@slipway/contracts';
import { AccountTransactions, AuditLog, Turns, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { BlobStore } from '../blobs/blob-store.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { Tickets } from '../blobs/tickets.js';
import { datasetNotFound } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import type { VersionRow } from '../datasets/version-rows.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import type { Comparison } from '../validation/compare-indexes.js';
import { notReady } from './version-errors.js';

const THREAD = new URL('../validation/compare-thread.js', import.meta.url);
/** Comparisons of one account at one time, and how long others wait. */
const TURNS = { atOnce: 1, waitingMax: 8, waitMs: 20_000 } as const;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Compares versions and gives their files. */
@Injectable()
export class CompareService {
  readonly #turns = new Turns<AccountId>(TURNS);

  // oxlint-disable-next-line slipway/max-params -- files are found, opened by tickets and audited
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly blobs: BlobStore,
    private readonly uses: BlobUsesRepository,
    private readonly tickets: Tickets,
    private readonly audit: AuditLog,
  ) {}

  async compare({ account, dataset, from, to }: Request<typeof CompareVersions>): Reply<typeof CompareVersions> {
    const rows = await this.transactions.read(account, async (connection) => [
      await this.#version(connection, { account, dataset, version: from }),
      await this.#version(connection, { account, dataset, version: to }),
    ]);
    const unready = rows.find((row) => row.state !== 'ready');
    if (unready) throw notReady(unready);
    return this.#turns.take(account, () =>
      this.#inThread(
        account,
        rows.map(({ line_index }) => line_index ?? ''),
      ),
    );
  }

  /** A ticket for one file of a version, which opens once within an hour. */
  async download(request: Request<typeof DownloadDataset>): Reply<typeof DownloadDataset> {
    const { account, dataset, version, what, actor } = request;
    const { sha256, bytes, name } = await this.transactions.run(request, async (tx) => {
      const row = await this.#version(tx, { account, dataset, version });
      const found = { canonical: row.canonical, original: row.original, rejected: row.rejected_blob }[what];
      if (found === null) throw what === 'rejected' ? noneRejected() : notReady(row);
      const { name = '' } = (await this.datasets.find(tx, account, dataset)) ?? {};
      const facts = { version, what };
      await this.audit.record(tx, { account, actor, action: 'dataset.export', object: `dataset:${dataset}`, objectName: name, facts });
      const size = (await this.uses.find(tx, { account, sha256: found }))?.bytes ?? 0;
      return { sha256: found, bytes: size, name: `${name}-v${version}${SUFFIXES[what]}` };
    });
    const { ticket, expiresAt } = await this.tickets.issue({ verb: 'save', account, subject: sha256, bytes: 0, name });
    return { path: `/downloads/${ticket}`, expires_at: expiresAt.toISOString(), bytes, name };
  }

  async #version(
    connection: Tx,
    { account, dataset, version }: { account: AccountId; dataset: Request<typeof CompareVersions>['dataset']; version: number },
  ): Promise<VersionRow> {
    if (!(await this.datasets.find(connection, account, dataset))) throw datasetNotFound();
    const row = await this.versions.find(connection, { dataset, version });
    if (!row) throw datasetNotFound();
    return row;
  }

  async #inThread(account: AccountId, [from = '', to = '']: readonly string[]): Promise<Comparison> {
    const files = [await this.blobs.local(account, from), await this.blobs.local(account, to)];
    const plain = files.map(({ path, key, bytes }) => ({ path, key, bytes }));
    const worker = new Worker(THREAD, { workerData: { from: plain[0], to: plain[1] } });
    try {
      const [comparison] = (await once(worker, 'message')) as [Comparison];
      return comparison;
    } finally {
      await worker.terminate();
      await Promise.all(files.map((file) => file.done()));
    }
  }
}

const SUFFIXES = { canonical: '.jsonl', original: '-original', rejected: '-rejected.jsonl' } as const;

const noneRejected = (): ServiceError => new ServiceError('dataset_not_found', 'No line of this version was refused.', { param: 'what' });
