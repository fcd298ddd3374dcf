import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  type AccountId,
  type CancelUpload,
  type DatasetId,
  type FindUpload,
  type OpenUpload,
  ServiceError,
  UploadId,
  type UploadView,
} from '@slipway/contracts';
import { AccountTransactions, Transactions, type Tx } from '@slipway/database';
import { randomToken } from '@slipway/platform';
import type { z } from 'zod';
import { actorColumns } from '../actor-columns.js';
import { AdapterImportsRepository } from '../adapter-imports/adapter-imports.repository.js';
import { ArrivedAdapters } from '../adapter-imports/arrived-adapters.js';
import { BlobStore } from '../blobs/blob-store.js';
import { InstallationSecrets } from '../blobs/installation-secrets.js';
import { readStored, StagedWriter } from '../blobs/sealed-file.js';
import { Tickets } from '../blobs/tickets.js';
import { keyTaken } from '../creations.repository.js';
import { datasetNotFound } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { readingOf } from '../datasets/version-rows.js';
import { NewVersions } from '../datasets/new-versions.js';
import type { NewVersion } from '../datasets/versions.repository.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { type UploadPart, type UploadRow, UploadsRepository } from './uploads.repository.js';

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Takes files in pieces and makes versions of them. */
@Injectable()
export class UploadsService {
  // oxlint-disable-next-line slipway/max-params -- an upload is bounded, ticketed, stored in pieces and becomes a version
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly own: Transactions,
    private readonly uploads: UploadsRepository,
    private readonly datasets: DatasetsRepository,
    private readonly versions: NewVersions,
    private readonly quotas: QuotasService,
    private readonly tickets: Tickets,
    private readonly blobs: BlobStore,
    private readonly secrets: InstallationSecrets,
    private readonly imports: AdapterImportsRepository,
    private readonly arrived: ArrivedAdapters,
  ) {}

  /** Opens an upload. A repeated idempotency key gives the same upload with another ticket. */
  async open(request: Request<typeof OpenUpload>): Reply<typeof OpenUpload> {
    const { account, dataset, bytes = null, file_name: fileName = null, sha256 = null, idempotency_key: key = null, actor } = request;
    const { row, most } = await this.transactions.run(request, async (tx) => {
      const known = key === null ? null : await this.uploads.byKey(tx, account, key);
      const { file_bytes: most } = await this.quotas.of(tx, account);
      if (known && known.dataset_id !== dataset) throw keyTaken();
      if (known) return { row: known, most };
      if (bytes !== null && bytes > most) throw tooLarge(most);
      await this.quotas.claim(tx, account, { uploads: 1, bytes: bytes ?? 0 });
      if (!(await this.datasets.lock(tx, account, dataset))) throw datasetNotFound();
      const reading = readingOf(request);
      const made = { id: UploadId.parse(randomToken()), account, dataset, fileName, bytes, sha256, reading, key, ...actorColumns(actor) };
      return { row: await this.uploads.insert(tx, made), most };
    });
    const { ticket, expiresAt } = await this.tickets.issue({ verb: 'upload', account, subject: row.id, bytes: 0, name: '' });
    return { upload: row.id, ticket, path: `/uploads/${ticket}`, expires_at: expiresAt.toISOString(), max_bytes: most };
  }

  async find({ account, upload }: Request<typeof FindUpload>): Reply<typeof FindUpload> {
    return { upload: viewOf(await this.#require(account, upload)) };
  }

  async cancel(request: Request<typeof CancelUpload>): Reply<typeof CancelUpload> {
    const { account, upload } = request;
    const row = await this.#require(account, upload);
    if (row.state === 'open') {
      const parts = await this.transactions.run(request, async (tx) => {
        const found = await this.uploads.parts(tx, upload);
        await this.#endWithout(tx, upload, 'cancelled');
        return found;
      });
      await removeFiles(parts);
    }
    return { upload: viewOf(await this.#require(account, upload)) };
  }

  /** The open upload of a ticket; null when it is over. */
  async current(account: AccountId, id: string): Promise<UploadRow | null> {
    const row = await this.own.read((connection) => this.uploads.find(connection, account, id));
    return row?.state === 'open' && row.expires_at.getTime() > Date.now() ? row : null;
  }

  /** Most bytes of the file of an upload. */
  async mostBytes({ account, dataset_id: dataset }: Pick<UploadRow, 'account' | 'dataset_id'>): Promise<number> {
    const { file_bytes: most } = await this.own.read((connection) => this.quotas.of(connection, account));
    return dataset === null ? mostAdapterBytes(most) : most;
  }

  async declare({ id }: UploadRow, bytes: number): Promise<void> {
    await this.own.run((tx) => this.uploads.declare(tx, id, bytes));
  }

  /**
   * Adds bytes at an offset, as many as come before `source` ends or fails; what came is kept.
   * @returns the new offset
   * @throws ServiceError `upload_conflict` when other bytes came meanwhile; `no_disk`, and then nothing is kept; what `source` throws
   */
  async append(row: UploadRow, offset: number, source: AsyncIterable<Uint8Array>): Promise<number> {
    await this.blobs.requireRoom();
    const writer = await StagedWriter.create(await this.blobs.stagingPath(), await this.secrets.keyOf(row.account));
    let failure: Error | undefined;
    try {
      for await (const piece of source) await writer.write(piece);
    } catch (error) {
      failure = error as Error;
    }
    if (writer.bytes === 0 || writer.isBroken) await writer.discard();
    else await this.#keepPart(row, offset, writer);
    if (failure !== undefined) throw failure;
    return offset + writer.bytes;
  }

  async #keepPart(row: UploadRow, start: number, writer: StagedWriter): Promise<void> {
    const { path, bytes, isSealed } = await writer.finish().catch(async (error: unknown) => {
      await writer.discard();
      throw error;
    });
    const isKept = await this.own.run((tx) => this.uploads.addPart(tx, row.id, { start, bytes, path, sealed: isSealed }));
    if (isKept) return;
    await rm(path, { force: true });
    throw new ServiceError('upload_conflict', 'Other bytes came to this upload meanwhile. Ask for its offset, and go on from there.');
  }

  /** Takes one body in place of all that came before. */
  async replace(row: UploadRow, source: AsyncIterable<Uint8Array>): Promise<number> {
    const former = await this.own.run(async (tx) => {
      const parts = await this.uploads.parts(tx, row.id);
      await this.uploads.clear(tx, row.id);
      return parts;
    });
    await removeFiles(former);
    return this.append(row, 0, source);
  }

  /**
   * Makes a version of an upload whose bytes are all there, or has an adapter checked. The same file read the same way is the version
   * that exists.
   * @returns number of the version; null for an adapter
   * @throws ServiceError `upload_conflict` when the file has another SHA-256 than declared; the upload is over then
   */
  async complete(row: UploadRow): Promise<number | null> {
    const parts = await this.own.read((connection) => this.uploads.parts(connection, row.id));
    const staged = await this.blobs.stage(row.account, this.#whole(row.account, parts));
    if (row.sha256 !== null && row.sha256 !== staged.sha256) {
      await this.blobs.discard(staged);
      await this.own.run((tx) => this.#endWithout(tx, row.id, 'cancelled'));
      await removeFiles(parts);
      throw new ServiceError(
        'upload_conflict',
        'The file that arrived is not the one that was announced: its SHA-256 differs. Upload it again.',
      );
    }
    const original = await this.blobs.keep(row.account, staged);
    const { dataset_id: dataset } = row;
    const made = dataset === null ? await this.#takeAdapter(row, original.sha256) : await this.#makeVersion({ ...row, dataset }, original);
    await removeFiles(parts);
    if (!made) throw new ServiceError('upload_not_found', 'This upload is over.');
    return made.version;
  }

  /** Null when the upload was over meanwhile. */
  #makeVersion(
    row: UploadRow & { dataset: DatasetId },
    original: NonNullable<NewVersion['original']>,
  ): Promise<{ version: number } | null> {
    const { dataset, account, reading, actor, actor_id, actor_name } = row;
    return this.own.run(async (tx) => {
      const version = await this.versions.make(tx, { dataset, account, origin: 'upload', reading, original, actor, actor_id, actor_name });
      return (await this.uploads.end(tx, row.id, 'complete', version)) ? { version } : null;
    });
  }

  async #takeAdapter({ account, id: upload }: UploadRow, sha256: string): Promise<{ version: null } | null> {
    const seen = await this.arrived.look(account, sha256);
    return this.own.run(async (tx) => {
      if (!(await this.uploads.end(tx, upload, 'complete'))) return null;
      await this.arrived.take(tx, { account, upload }, seen);
      return { version: null };
    });
  }

  async #endWithout(tx: Tx, upload: string, state: 'expired' | 'cancelled'): Promise<void> {
    await this.uploads.end(tx, upload, state);
    await this.imports.cancel(tx, upload);
  }

  /** Ends uploads whose time is over, and completes those whose last request was lost. */
  async tidy(): Promise<void> {
    for (const row of await this.own.read((connection) => this.uploads.left(connection))) {
      if (row.expires_at.getTime() > Date.now()) {
        await this.complete(row).catch(() => undefined);
        continue;
      }
      const parts = await this.own.read((connection) => this.uploads.parts(connection, row.id));
      await this.own.run((tx) => this.#endWithout(tx, row.id, 'expired'));
      await removeFiles(parts);
    }
  }

  async *#whole(account: AccountId, parts: readonly UploadPart[]): AsyncGenerator<Buffer> {
    for (const { path, bytes, sealed } of parts) {
      const raw = (start: number, end: number): Readable =>
        end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([]);
      yield* readStored({ raw, key: sealed ? await this.secrets.keyOf(account) : null, bytes });
    }
  }

  async #require(account: AccountId, upload: UploadId): Promise<UploadRow> {
    const row = await this.transactions.read(account, (connection) => this.uploads.find(connection, account, upload));
    if (!row) throw new ServiceError('upload_not_found', 'This account has no such upload.', { param: 'upload' });
    return row;
  }
}

async function removeFiles(parts: readonly UploadPart[]): Promise<void> {
  await Promise.all(parts.map(({ path }) => rm(path, { force: true })));
}

const viewOf = (row: UploadRow): UploadView => ({
  id: row.id,
  dataset: row.dataset_id,
  state: row.state === 'open' && row.expires_at.getTime() <= Date.now() ? 'expired' : row.state,
  file_name: row.file_name,
  declared_bytes: row.declared_bytes,
  received: row.received,
  version: row.version,
  expires_at: row.expires_at.toISOString(),
});

/** Largest file of an adapter, in bytes: training workers read it whole. */
const ADAPTER_BYTES_MAX = 2 ** 30;

/** Most bytes of an adapter's file in an account whose files may have so many. */
export const mostAdapterBytes = (allowed: number): number => Math.min(allowed, ADAPTER_BYTES_MAX);

/** The refusal of a file above the account's bound. */
export const tooLarge = (most: number): ServiceError =>
  new ServiceError('request_too_large', `A file may have at most ${most} bytes in this account.`, { param: 'bytes' });
