import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { AccountId } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { ForbiddenHostError, guardedFetch } from '@slipway/model-store';
import { CONFIG, HostList } from '@slipway/platform';
import { BlobStore } from '../blobs/blob-store.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import type { TuningServiceConfig } from '../config.js';
import { versionOwner, type VersionRow } from '../datasets/version-rows.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { announceWork } from '../leader.js';
import { QuotasService } from '../quotas/quotas.service.js';

/** A server that sends nothing for so long is given up, in milliseconds. */
const SILENT_MS = 60_000;

/** A fetch that cannot succeed by being repeated. The message is public. */
class ImportFailedError extends Error {
  override readonly name = 'ImportFailedError';
}

type Row = VersionRow & { readonly account: AccountId };

/** Fetches the files of imported versions, from hosts on the operator's list alone. */
@Injectable()
export class Imports {
  readonly #fetch: typeof globalThis.fetch;

  constructor(
    private readonly transactions: Transactions,
    private readonly versions: VersionsRepository,
    private readonly blobs: BlobStore,
    private readonly uses: BlobUsesRepository,
    private readonly quotas: QuotasService,
    @Inject(CONFIG) { DATASET_HOSTS: hosts }: TuningServiceConfig,
  ) {
    this.#fetch = guardedFetch(globalThis.fetch, new HostList(hosts), { what: 'the data set', isLocalAllowed: true });
  }

  /** Fetches a version's file, so that it can be checked; on failure the version is `invalid`. */
  async fetch(row: Row, signal: AbortSignal): Promise<void> {
    const id = { dataset: row.dataset_id, version: row.number };
    try {
      const original = await this.#download(row, signal);
      await this.transactions.run(async (tx) => {
        const change = { state: 'validating', original: original.sha256, original_bytes: original.bytes, progress: 0, tries: 0 } as const;
        if (!(await this.versions.change(tx, id, change, ['uploading']))) return;
        await this.uses.use(tx, { account: row.account, sha256: original.sha256 }, versionOwner(row));
        await announceWork(tx);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ImportFailedError) && !(error instanceof ForbiddenHostError)) throw error;
      const change = { state: 'invalid', reason: 'import_failed', detail: error.message.slice(0, 500), progress: null } as const;
      await this.transactions.run((tx) => this.versions.change(tx, id, change, ['uploading']));
    }
  }

  async #download(row: Row, signal: AbortSignal): Promise<{ sha256: string; bytes: number }> {
    const { file_bytes: most } = await this.transactions.read((connection) => this.quotas.of(connection, row.account));
    const quiet = new AbortController();
    const timer = setTimeout(() => quiet.abort(), SILENT_MS);
    try {
      const response = await this.#ask(row.url ?? '', AbortSignal.any([signal, quiet.signal]));
      const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
      const bounded = async function* (): AsyncGenerator<Uint8Array> {
        let bytes = 0;
        for await (const piece of body as AsyncIterable<Uint8Array>) {
          timer.refresh();
          bytes += piece.length;
          if (bytes > most) throw new ImportFailedError(`The file is larger than ${most} bytes, the most that this account may have.`);
          yield piece;
        }
      };
      return await this.blobs.store(row.account, bounded());
    } catch (error) {
      if (quiet.signal.aborted) throw new ImportFailedError('The server sent nothing for 60 s.', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(url: string, signal: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await this.#fetch(url, { signal });
    } catch (error) {
      if (error instanceof ForbiddenHostError || signal.aborted) throw error;
      throw new ImportFailedError('The server of the file does not answer.', { cause: error });
    }
    if (response.ok && response.body) return response;
    await response.body?.cancel();
    throw new ImportFailedError(`The server of the file answered ${response.status}.`);
  }
}
