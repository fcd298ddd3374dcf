import { Injectable } from '@nestjs/common';
import { type FindAdapterImport, type ImportAdapter, type ListAdapterImports, ServiceError, UploadId } from '@slipway/contracts';
import { AccountTransactions, type Tx } from '@slipway/database';
import { randomToken } from '@slipway/platform';
import type { z } from 'zod';
import { actorColumns } from '../actor-columns.js';
import { Tickets } from '../blobs/tickets.js';
import { keyTaken } from '../creations.repository.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { TrainerTable } from '../trainers/trainer-table.js';
import { mostAdapterBytes, tooLarge } from '../uploads/uploads.service.js';
import { type UploadRow, UploadsRepository } from '../uploads/uploads.repository.js';
import { AdapterImportsRepository, importView, type NewImport } from './adapter-imports.repository.js';

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Opens and shows imports of adapters. */
@Injectable()
export class AdapterImportsService {
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly imports: AdapterImportsRepository,
    private readonly uploads: UploadsRepository,
    private readonly quotas: QuotasService,
    private readonly tickets: Tickets,
    private readonly table: TrainerTable,
  ) {}

  /** Opens an import. A repeated idempotency key gives the same one with another ticket. */
  async open(request: Request<typeof ImportAdapter>): Reply<typeof ImportAdapter> {
    const { account, idempotency_key: key = null } = request;
    const { row, most } = await this.transactions.run(request, async (tx) => {
      const known = key === null ? null : await this.uploads.byKey(tx, account, key);
      const { file_bytes: allowed } = await this.quotas.of(tx, account);
      const bound = mostAdapterBytes(allowed);
      if (known && known.dataset_id !== null) throw keyTaken();
      return { row: known ?? (await this.#insert(tx, request, bound)), most: bound };
    });
    const { ticket, expiresAt } = await this.tickets.issue({ verb: 'upload', account, subject: row.id, bytes: 0, name: '' });
    return { upload: row.id, ticket, path: `/uploads/${ticket}`, expires_at: expiresAt.toISOString(), max_bytes: most };
  }

  async #insert(tx: Tx, request: Request<typeof ImportAdapter>, most: number): Promise<UploadRow> {
    const { account, name, bytes = null, file_name: fileName = null, sha256 = null, idempotency_key: key = null, actor } = request;
    const { prompts = null } = request;
    if (bytes !== null && bytes > most) throw tooLarge(most);
    const base = this.#base(request.base);
    await this.quotas.claim(tx, account, { uploads: 1, adapters: 1, bytes: bytes ?? 0 });
    const by = actorColumns(actor);
    const id = UploadId.parse(randomToken());
    const row = await this.uploads.insert(tx, { id, account, dataset: null, fileName, bytes, sha256, reading: {}, key, ...by });
    await this.imports.insert(tx, { upload_id: id, account, name, ...base, prompts, ...by });
    return row;
  }

  /** Both null = the file says it. */
  #base(name: string | undefined): Pick<NewImport, 'base' | 'base_sha256'> {
    if (name === undefined) return { base: null, base_sha256: null };
    const known = this.table.bases().get(name);
    if (!known) throw new ServiceError('base_not_found', `No connected training worker has the base ${name}.`, { param: 'base' });
    return { base: known.base.base, base_sha256: known.base.sha256 };
  }

  find({ account, upload }: Request<typeof FindAdapterImport>): Reply<typeof FindAdapterImport> {
    return this.transactions.read(account, async (connection) => {
      const row = await this.imports.find(connection, account, upload);
      if (!row) throw importNotFound();
      return { import: importView(row) };
    });
  }

  list({ account }: Request<typeof ListAdapterImports>): Reply<typeof ListAdapterImports> {
    return this.transactions.read(account, async (connection) => ({
      imports: (await this.imports.list(connection, account)).map(importView),
    }));
  }
}

/** The error for an import that does not exist or belongs to another account; callers cannot tell which. */
export const importNotFound = (): ServiceError =>
  new ServiceError('upload_not_found', 'This account has no such import.', { param: 'upload' });
