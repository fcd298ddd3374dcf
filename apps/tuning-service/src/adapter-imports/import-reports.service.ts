import { Injectable } from '@nestjs/common';
import { type AdapterId, type ReportImport, ServiceError, type StoreImportBlob, type TrainedAdapter } from '@slipway/contracts';
import { AuditLog, Transactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { actorOf } from '../actor-columns.js';
import { adapterOwner, AdaptersRepository } from '../adapters/adapters.repository.js';
import { BlobDoor } from '../blobs/blob-door.js';
import { BlobStore } from '../blobs/blob-store.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { Tickets } from '../blobs/tickets.js';
import { announceWork } from '../leader.js';
import { TrainerTable } from '../trainers/trainer-table.js';
import { TuningMetrics } from '../tuning-metrics.js';
import { AdapterImportsRepository, importOwner, type ImportRow } from './adapter-imports.repository.js';
import { importNotFound } from './adapter-imports.service.js';

type Made = Omit<z.output<typeof TrainedAdapter>, 'step'>;

/** Takes what training workers make of adapters from outside. An import has one result, whatever is reported. */
@Injectable()
export class ImportReportsService {
  // oxlint-disable-next-line slipway/max-params -- a result holds blobs, a row of its own and one in the audit log
  constructor(
    private readonly transactions: Transactions,
    private readonly imports: AdapterImportsRepository,
    private readonly adapters: AdaptersRepository,
    private readonly uses: BlobUsesRepository,
    private readonly blobs: BlobStore,
    private readonly tickets: Tickets,
    private readonly door: BlobDoor,
    private readonly table: TrainerTable,
    private readonly metrics: TuningMetrics,
    private readonly audit: AuditLog,
  ) {}

  /** A ticket to write one form; none where the account has it already. */
  async store(request: z.output<typeof StoreImportBlob.request>): Promise<z.input<typeof StoreImportBlob.reply>> {
    const { account, bytes, sha256 } = request;
    const isStored = await this.transactions.run(async (tx) => {
      const row = await this.imports.lock(tx, account, request.import);
      if (!row || !isOpen(row)) throw importNotFound();
      return (await this.uses.touch(tx, { account, sha256 })) !== null;
    });
    if (isStored) return { url: null, ticket: null };
    await this.blobs.requireRoom(2 * bytes);
    const { ticket } = await this.tickets.issue({ verb: 'write', account, subject: sha256, bytes, name: '' });
    return { url: `${this.door.url}/b/${sha256}?t=${ticket}`, ticket };
  }

  report(request: z.output<typeof ReportImport.request>): Promise<z.input<typeof ReportImport.reply>> {
    const { account, import: upload, adapter, failed } = request;
    return this.transactions.run(async (tx) => {
      const row = await this.imports.lock(tx, account, upload);
      if (!row) throw importNotFound();
      if (!isOpen(row)) return { adapter: row.adapter_id };
      const made = adapter ? await this.#add(tx, row, adapter) : null;
      const fault = { state: 'failed', reason: failed?.reason ?? 'worker_failed', detail: failed?.detail ?? null } as const;
      const end = made === null ? fault : ({ state: 'ready', reason: null, detail: null, adapter_id: made } as const);
      await this.imports.change(tx, upload, { ...end, worker: null, prompts: null });
      await this.uses.release(tx, account, [importOwner(upload)]);
      await announceWork(tx);
      return { adapter: made };
    });
  }

  async #add(tx: Tx, row: ImportRow, made: Made): Promise<AdapterId> {
    const { account, name, upload_id: upload } = row;
    const base = this.table
      .live()
      .flatMap(({ bases }) => bases)
      .find(({ sha256 }) => sha256 === made.base_sha256);
    if (!base) throw new ServiceError('unavailable', 'No connected training worker has this base any more.');
    const by = { actor: row.actor, actor_id: row.actor_id, actor_name: row.actor_name };
    const origin = { account, name, ...NO_JOB, base: base.base, base_path: base.path, ...by };
    const id = await this.adapters.insert(tx, origin, { trained: made, verdict: null, answers: null });
    this.metrics.adapter(made.witness.distance);
    for (const sha256 of new Set([made.gguf.sha256, made.peft.sha256])) {
      if ((await this.uses.touch(tx, { account, sha256 })) === null)
        throw new ServiceError('invalid_request', 'The report names a file that is not stored.', { param: 'sha256' });
      await this.uses.use(tx, { account, sha256 }, adapterOwner(id));
    }
    const facts = { base: base.base, base_sha256: base.sha256, sha256: row.blob, upload };
    await this.audit.record(tx, {
      account,
      actor: actorOf(row),
      action: 'adapter.import',
      object: `adapter:${id}`,
      objectName: name,
      facts,
    });
    return id;
  }
}

const NO_JOB = { job_id: null, step: null, dataset_id: null, dataset_name: null, dataset_version: null } as const;

const isOpen = ({ state }: ImportRow): boolean => state === 'waiting' || state === 'checking';
