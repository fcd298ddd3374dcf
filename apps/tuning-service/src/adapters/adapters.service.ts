import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type Actor,
  type AdapterId,
  type AdapterView,
  deploymentSlug,
  type DeleteAdapter,
  type ExportAdapter,
  type FindAdapter,
  type ListAdapters,
  type ReadAdapterAnswers,
  type RenameAdapter,
  type ReportAdapterUse,
  type ServeAdapter,
  ServiceError,
} from '@slipway/contracts';
import { AccountTransactions, AuditLog, isUniqueViolation, Transactions, type Tx } from '@slipway/database';
import { fitting } from '@slipway/platform';
import type { z } from 'zod';
import { changedBy } from '../actor-columns.js';
import { BlobStore } from '../blobs/blob-store.js';
import { Tickets } from '../blobs/tickets.js';
import { requireRead } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { adapterArchive } from './adapter-archive.js';
import { type AdapterRow, AdaptersRepository } from './adapters.repository.js';

const PAGE_ROWS = 200;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Lists, serves, renames, exports and deletes adapters. */
@Injectable()
export class AdaptersService {
  // oxlint-disable-next-line slipway/max-params -- adapters are found, audited, exported into blobs and opened by tickets
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly own: Transactions,
    private readonly adapters: AdaptersRepository,
    private readonly datasets: DatasetsRepository,
    private readonly blobs: BlobStore,
    private readonly tickets: Tickets,
    private readonly audit: AuditLog,
  ) {}

  list({ account, name, before }: Request<typeof ListAdapters>): Reply<typeof ListAdapters> {
    return this.transactions.read(account, async (connection) => {
      const page = { ...(name !== undefined && { name }), ...(before !== undefined && { before }), limit: PAGE_ROWS + 1 };
      const rows = await this.adapters.list(connection, account, page);
      const views = fitting(rows.slice(0, PAGE_ROWS).map(viewOf));
      return { adapters: [...views], next: rows.length > views.length ? (views.at(-1)?.id ?? null) : null };
    });
  }

  find({ account, adapter }: Request<typeof FindAdapter>): Reply<typeof FindAdapter> {
    return this.transactions.read(account, async (connection) => ({ adapter: viewOf(await this.#require(connection, account, adapter)) }));
  }

  /** Answers are text of the data set: an agent reads them where it may read the data set's examples. */
  answers({ account, adapter, actor }: Request<typeof ReadAdapterAnswers>): Reply<typeof ReadAdapterAnswers> {
    return this.transactions.read(account, async (connection) => {
      const { dataset_id: dataset } = await this.#require(connection, account, adapter);
      const source = dataset === null ? null : await this.datasets.find(connection, account, dataset);
      requireRead(actor, source?.agent_access ?? 'none', 'examples');
      return { pairs: await this.adapters.answers(connection, account, adapter) };
    });
  }

  /** What a deployment needs to serve the adapter. One that failed its gate needs a reason, which is audited. */
  async serve({ account, adapter, override, actor }: Request<typeof ServeAdapter>): Reply<typeof ServeAdapter> {
    return this.own.run(async (tx) => {
      const row = await this.#require(tx, account, adapter);
      if (row.verdict?.passed !== true) {
        if (override === undefined) throw notPassed(row);
        const facts = { reason: override };
        await this.audit.record(tx, { ...auditOf(row, actor), action: 'adapter.override_gate', facts });
      }
      const { name, version, gguf: sha256, gguf_bytes: bytes, base_path, base_sha256, template_sha256, tokenizer_sha256, witness } = row;
      return { adapter, name, version, sha256, bytes, base_path, base_sha256, template_sha256, tokenizer_sha256, witness };
    });
  }

  async reportUse({ account, adapter, deployments }: Request<typeof ReportAdapterUse>): Reply<typeof ReportAdapterUse> {
    await this.own.run(async (tx) => {
      await this.#lock(tx, account, adapter);
      await this.adapters.setDeployments(tx, account, adapter, deployments);
    });
    return {};
  }

  /** Renames all versions of the adapter. */
  async rename(request: Request<typeof RenameAdapter>): Reply<typeof RenameAdapter> {
    const { account, adapter, name, actor } = request;
    try {
      await this.transactions.run(request, async (tx) => {
        const row = await this.#lock(tx, account, adapter);
        if (row.name === name) return;
        await this.#requireFree(tx, account, name);
        await this.adapters.rename(tx, account, { from: row.name, to: name });
        await this.audit.record(tx, { ...auditOf(row, actor), objectName: name, action: 'adapter.rename', facts: { from: row.name } });
      });
    } catch (error) {
      throw isUniqueViolation(error) ? nameTaken(name) : error;
    }
    return { adapter, name };
  }

  /** Deletes an adapter that no deployment names. */
  async delete(request: Request<typeof DeleteAdapter>): Reply<typeof DeleteAdapter> {
    const { account, adapter, actor } = request;
    await this.transactions.run(request, async (tx) => {
      const row = await this.#lock(tx, account, adapter);
      if (row.deployments.length > 0) throw inUse(row);
      await this.adapters.delete(tx, account, adapter);
      await this.audit.record(tx, { ...auditOf(row, actor), action: 'adapter.delete', facts: { sha256: row.gguf } });
    });
    return { adapter };
  }

  /** Packs the adapter with its card into an archive, and gives a ticket for it. */
  async export(request: Request<typeof ExportAdapter>): Reply<typeof ExportAdapter> {
    const { account, adapter, form, actor } = request;
    const row = await this.transactions.run(request, async (tx) => {
      const found = await this.#require(tx, account, adapter);
      await this.audit.record(tx, { ...auditOf(found, actor), action: 'adapter.export', facts: { form } });
      return found;
    });
    const stored = await this.blobs.require(account, form === 'gguf' ? row.gguf : row.peft);
    const { sha256 } = await this.blobs.store(account, adapterArchive(viewOf(row), form, stored));
    const name = `${row.name}-v${row.version}-${form}.tar`;
    const { ticket, expiresAt } = await this.tickets.issue({ verb: 'save', account, subject: sha256, bytes: 0, name });
    return { path: `/downloads/${ticket}`, expires_at: expiresAt.toISOString(), name };
  }

  async #require(connection: Tx, account: AccountId, adapter: AdapterId): Promise<AdapterRow> {
    const row = await this.adapters.find(connection, account, adapter);
    if (!row) throw adapterNotFound();
    return row;
  }

  async #lock(tx: Tx, account: AccountId, adapter: AdapterId): Promise<AdapterRow> {
    const row = await this.adapters.lock(tx, account, adapter);
    if (!row) throw adapterNotFound();
    return row;
  }

  async #requireFree(tx: Tx, account: AccountId, name: string): Promise<void> {
    if ((await this.adapters.list(tx, account, { name, limit: 1 })).length > 0) throw nameTaken(name);
  }
}

const viewOf = (row: AdapterRow): AdapterView => ({
  id: row.id,
  name: row.name,
  version: row.version,
  job: row.job_id,
  step: row.step,
  dataset: row.source_deleted ? null : row.dataset_id,
  dataset_name: row.dataset_name,
  dataset_version: row.dataset_version,
  source_deleted: row.source_deleted,
  base: row.base,
  base_sha256: row.base_sha256,
  template_sha256: row.template_sha256,
  tokenizer_sha256: row.tokenizer_sha256,
  sha256: row.gguf,
  bytes: row.gguf_bytes,
  rank: row.rank,
  alpha: row.alpha,
  modules: [...row.modules],
  witness_distance: row.witness.distance,
  verdict: row.verdict,
  deployments: [...row.deployments],
  created_by: changedBy(row),
  created_at: row.created_at.toISOString(),
});

const auditOf = ({ account, id, name }: AdapterRow, actor: Actor | undefined) =>
  ({ account, actor, object: `adapter:${id}`, objectName: name }) as const;

/** The error for an adapter that does not exist or belongs to another account; callers cannot tell which. */
const adapterNotFound = (): ServiceError =>
  new ServiceError('adapter_not_found', 'This account has no such adapter.', { param: 'adapter' });

const nameTaken = (name: string): ServiceError =>
  new ServiceError('name_taken', `This account has an adapter named ${name}.`, { param: 'name' });

const inUse = ({ deployments }: AdapterRow): ServiceError =>
  new ServiceError('adapter_in_use', `Deployments serve this adapter: ${deployments.slice(0, 5).map(deploymentSlug).join(', ')}.`, {
    param: 'adapter',
  });

function notPassed({ verdict }: AdapterRow): ServiceError {
  if (verdict === null) return new ServiceError('gate_not_passed', 'The gate of this adapter has not decided yet.', { param: 'adapter' });
  const failed = verdict.checks.filter(({ passed }) => passed === false).map(({ detail }) => detail);
  return new ServiceError('gate_not_passed', `This adapter did not pass its gate. ${failed.join(' ')}`.trim().slice(0, 1_000), {
    param: 'adapter',
  });
}
