import { Injectable } from '@nestjs/common';
import type { AccountId, UploadId } from '@slipway/contracts';
import type { Tx } from '@slipway/database';
import { BlobStore } from '../blobs/blob-store.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { announceWork } from '../leader.js';
import { AdapterImportsRepository, type ImportChange, importOwner } from './adapter-imports.repository.js';
import { adapterParts } from './adapter-parts.js';
import { ImportRefusal } from './import-refusal.js';

const BASE_UNKNOWN = 'The file has no card that says which base it is for. Import it again and name the base.';

/** Takes uploaded files of adapters: refuses what is none, and has the others checked by a training worker. */
@Injectable()
export class ArrivedAdapters {
  constructor(
    private readonly blobs: BlobStore,
    private readonly imports: AdapterImportsRepository,
    private readonly uses: BlobUsesRepository,
  ) {}

  /** What a stored file is, before it is taken. */
  async look(account: AccountId, sha256: string): Promise<ImportChange> {
    try {
      const { parts, base } = await adapterParts(await this.blobs.require(account, sha256));
      return { state: 'waiting', blob: sha256, parts, ...(base && { base: base.name, base_sha256: base.sha256 }), arrived_at: new Date() };
    } catch (error) {
      if (!(error instanceof ImportRefusal)) throw error;
      return { state: 'failed', reason: error.reason, detail: error.message };
    }
  }

  /** Takes a file that was looked at. The base that the request named counts, whatever the card says. */
  async take(tx: Tx, { account, upload }: { account: AccountId; upload: UploadId }, seen: ImportChange): Promise<void> {
    const row = await this.imports.lock(tx, account, upload);
    if (row?.state !== 'uploading') return;
    const named = row.base_sha256 === null ? {} : { base: row.base, base_sha256: row.base_sha256 };
    const change = { ...seen, ...named };
    const isUnknown = change.state === 'waiting' && (change.base_sha256 ?? null) === null;
    await this.imports.change(tx, upload, isUnknown ? { state: 'failed', reason: 'base_unknown', detail: BASE_UNKNOWN } : change);
    if (isUnknown || change.state !== 'waiting' || !change.blob) return;
    await this.uses.use(tx, { account, sha256: change.blob }, importOwner(upload));
    await announceWork(tx);
  }
}
