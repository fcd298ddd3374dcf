import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type CreateDataset,
  type DatasetId,
  type DatasetView,
  type DeleteDataset,
  type FindDataset,
  type ListDatasets,
  type RenameDataset,
  ServiceError,
  type SetDatasetAccess,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, isUniqueViolation, type Tx } from '@slipway/database';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { actorColumns, changedBy } from '../actor-columns.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { CreationsRepository } from '../creations.repository.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { datasetNotFound, mayRead } from './dataset-access.js';
import { type DatasetRow, DatasetsRepository } from './datasets.repository.js';
import { versionOwner, versionView, withoutFigures } from './version-rows.js';
import { VersionsRepository } from './versions.repository.js';

const PAGE_ROWS = 200;
const VERSIONS_SHOWN = 200;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Makes, lists, renames and deletes data sets. */
@Injectable()
export class DatasetsService {
  // oxlint-disable-next-line slipway/max-params -- a change checks quotas, stores, audits and releases blobs; each dependency does one of these
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly blobs: BlobUsesRepository,
    private readonly creations: CreationsRepository,
    private readonly quotas: QuotasService,
    private readonly audit: AuditLog,
  ) {}

  /** Makes a data set without versions. A repeated idempotency key returns the data set that the first request made. */
  async create(request: Request<typeof CreateDataset>): Reply<typeof CreateDataset> {
    const { account, name, kind = 'sft', agent_access = 'stats', idempotency_key: key, actor } = request;
    const id = await named(name, () =>
      this.transactions.run(request, (tx) =>
        this.creations.once(tx, { account, ...(key !== undefined && { key }) }, 'dataset', async () => {
          await this.quotas.claim(tx, account, { datasets: 1 });
          const made = await this.datasets.insert(tx, { account, name, kind, agent_access, ...actorColumns(actor) });
          const facts = { kind, agent_access };
          await this.audit.record(tx, { account, actor, action: 'dataset.create', object: `dataset:${made}`, objectName: name, facts });
          return made;
        }),
      ),
    );
    return { dataset: id };
  }

  list({ account, actor, search, after }: Request<typeof ListDatasets>): Reply<typeof ListDatasets> {
    return this.transactions.read(account, async (connection) => {
      const page = { ...(search !== undefined && { search }), ...(after !== undefined && { after }), limit: PAGE_ROWS + 1 };
      const rows = await this.datasets.list(connection, account, page);
      const views = fitting(await this.#views(connection, rows.slice(0, PAGE_ROWS), actor));
      return { datasets: [...views], next: rows.length > views.length ? (views.at(-1)?.name ?? null) : null };
    });
  }

  find({ account, actor, dataset }: Request<typeof FindDataset>): Reply<typeof FindDataset> {
    return this.transactions.read(account, async (connection) => {
      const row = await this.datasets.find(connection, account, dataset);
      if (!row) throw datasetNotFound();
      const versions = await this.versions.list(connection, row.id, VERSIONS_SHOWN);
      const numbers = versions.map(({ number }) => number);
      const totals = await this.versions.totals(connection, row.id, numbers);
      const views = versions.map((version, i) => {
        const view = versionView(version, totals.get(version.number) ?? []);
        const shown = i === 0 ? view : { ...view, statistics: null };
        return mayRead(actor, row.agent_access, 'stats') ? shown : withoutFigures(shown);
      });
      const [view] = await this.#views(connection, [row], actor);
      if (!view) throw datasetNotFound();
      return { dataset: view, versions: views, used_by: await this.datasets.uses(connection, account, row.id) };
    });
  }

  async rename(request: Request<typeof RenameDataset>): Reply<typeof RenameDataset> {
    const { account, dataset, name, actor } = request;
    await named(name, () =>
      this.transactions.run(request, async (tx) => {
        const { name: former } = await this.#lock(tx, account, dataset);
        if (former === name) return;
        await this.datasets.rename(tx, dataset, name);
        const facts = { from: former };
        await this.audit.record(tx, { account, actor, action: 'dataset.rename', object: `dataset:${dataset}`, objectName: name, facts });
      }),
    );
    return { dataset, name };
  }

  async setAccess(request: Request<typeof SetDatasetAccess>): Reply<typeof SetDatasetAccess> {
    const { account, dataset, agent_access, actor } = request;
    await this.transactions.run(request, async (tx) => {
      const { name, agent_access: former } = await this.#lock(tx, account, dataset);
      if (former === agent_access) return;
      await this.datasets.setAccess(tx, dataset, agent_access);
      const facts = { from: former, to: agent_access };
      await this.audit.record(tx, { account, actor, action: 'dataset.access', object: `dataset:${dataset}`, objectName: name, facts });
    });
    return { dataset, agent_access };
  }

  /** Deletes a data set that no job reads. Its blobs are released; adapters that were made from it stay. */
  async delete(request: Request<typeof DeleteDataset>): Reply<typeof DeleteDataset> {
    const { account, dataset, actor, proven_role: role } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.#lock(tx, account, dataset);
      if (role !== 'owner' && !isMaker(row, actor)) throw notTheMaker();
      const readers = await this.datasets.readers(tx, dataset);
      if (readers.length > 0) throw inUse(readers);
      const versions = await this.versions.list(tx, dataset, Number.MAX_SAFE_INTEGER);
      await this.datasets.delete(tx, dataset);
      await this.blobs.release(tx, account, versions.map(versionOwner));
      const facts = { versions: versions.length };
      await this.audit.record(tx, { account, actor, action: 'dataset.delete', object: `dataset:${dataset}`, objectName: row.name, facts });
    });
    return { dataset };
  }

  async #lock(tx: Tx, account: AccountId, dataset: DatasetId): Promise<DatasetRow> {
    const row = await this.datasets.lock(tx, account, dataset);
    if (!row) throw datasetNotFound();
    return row;
  }

  async #views(connection: Tx, rows: readonly DatasetRow[], actor: Actor | undefined): Promise<DatasetView[]> {
    const heads = rows.flatMap(({ id, head }) => (head === null ? [] : [{ dataset: id, version: head }]));
    const totals = await this.versions.totalsOf(connection, heads);
    const views: DatasetView[] = [];
    for (const row of rows) {
      const head = row.head === null ? null : await this.versions.find(connection, { dataset: row.id, version: row.head });
      const view = head && versionView(head, totals.get(`${row.id}/${head.number}`) ?? []);
      const { id, name, kind, agent_access, versions, ready, jobs } = row;
      views.push({
        ...{ id, name, kind, agent_access, versions, ready, jobs },
        head: view && !mayRead(actor, agent_access, 'stats') ? withoutFigures(view) : view,
        created_by: changedBy(row),
        created_at: row.created_at.toISOString(),
        changed_at: row.changed_at.toISOString(),
      });
    }
    return views;
  }
}

/** Whoever made it: the same person or the same key. */
const isMaker = (row: DatasetRow, actor: Actor | undefined): boolean => {
  const by = actorColumns(actor);
  return row.actor === by.actor && row.actor_id === by.actor_id && by.actor_id !== null;
};

async function named<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ServiceError('name_taken', `This account has a data set named ${name}.`, { param: 'name' });
    throw error;
  }
}

const notTheMaker = (): ServiceError =>
  new ServiceError('not_permitted', 'Only an owner of the account may delete a data set that somebody else made.', { param: 'dataset' });

const inUse = (jobs: readonly number[]): ServiceError =>
  new ServiceError('dataset_in_use', `Jobs read this data set: ${jobs.slice(0, 5).join(', ')}. Wait for them, or cancel them.`, {
    param: 'dataset',
  });
