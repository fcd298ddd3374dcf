import { Injectable } from '@nestjs/common';
import { BlobName, type OpenBlob, type ReportMeasure } from '@slipway/contracts';
import { Transactions, type Tx } from '@slipway/database';
import type { z } from 'zod';
import { AdapterImportsRepository } from '../adapter-imports/adapter-imports.repository.js';
import { AdaptersRepository } from '../adapters/adapters.repository.js';
import { BlobDoor } from '../blobs/blob-door.js';
import { blobNotFound } from '../blobs/blob-store.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { Tickets } from '../blobs/tickets.js';
import { datasetNotFound } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { JobsRepository } from '../jobs/jobs.repository.js';
import { RecordsRepository } from '../jobs/records.repository.js';
import { TokenLimits } from '../jobs/token-limits.js';
import { MeasuresRepository } from '../measures/measures.repository.js';

/** Opens blobs for workers, and takes the token counts that they make. */
@Injectable()
export class BlobReadsService {
  // oxlint-disable-next-line slipway/max-params -- a blob is found by what it belongs to
  constructor(
    private readonly transactions: Transactions,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly jobs: JobsRepository,
    private readonly records: RecordsRepository,
    private readonly adapters: AdaptersRepository,
    private readonly imports: AdapterImportsRepository,
    private readonly measures: MeasuresRepository,
    private readonly limits: TokenLimits,
    private readonly uses: BlobUsesRepository,
    private readonly tickets: Tickets,
    private readonly door: BlobDoor,
  ) {}

  async open({ blob }: z.output<typeof OpenBlob.request>): Promise<z.input<typeof OpenBlob.reply>> {
    const { account } = blob;
    const found = await this.transactions.read(async (connection) => {
      const sha256 = await this.#sha256Of(connection, blob);
      const stored = sha256 === null ? null : await this.uses.find(connection, { account, sha256 });
      return sha256 !== null && stored ? { sha256, bytes: stored.bytes } : null;
    });
    if (!found) throw blobNotFound();
    const { ticket, expiresAt } = await this.tickets.issue({ verb: 'read', account, subject: found.sha256, bytes: 0, name: '' });
    return { url: `${this.door.url}/b/${found.sha256}?t=${ticket}`, ...found, expires_at: expiresAt.toISOString() };
  }

  async reportMeasure(request: z.output<typeof ReportMeasure.request>): Promise<z.input<typeof ReportMeasure.reply>> {
    const { base_sha256, template_sha256, measure, failed } = request;
    const made = { base_sha256, template_sha256, measure: failed === undefined ? measure : null, failed: failed ?? null };
    const isTaken = await this.transactions.run(async (tx) => {
      if (!(await this.measures.give(tx, request, made))) return false;
      if (made.measure) await this.limits.recheck(tx, request, made.measure);
      return true;
    });
    if (!isTaken) throw datasetNotFound();
    return {};
  }

  async #sha256Of(connection: Tx, blob: BlobName): Promise<string | null> {
    const { account } = blob;
    switch (blob.of) {
      case 'import':
        return (await this.imports.find(connection, account, blob.import))?.blob ?? null;
      case 'adapter':
        return (await this.adapters.find(connection, account, blob.adapter))?.[blob.form] ?? null;
      case 'version':
        return this.#versionSha256(connection, blob);
      default:
        return this.#checkpointSha256(connection, blob);
    }
  }

  async #versionSha256(connection: Tx, blob: Extract<BlobName, { of: 'version' }>): Promise<string | null> {
    if (!(await this.datasets.find(connection, blob.account, blob.dataset))) return null;
    return (await this.versions.find(connection, blob))?.canonical ?? null;
  }

  async #checkpointSha256(connection: Tx, { account, job, step, part }: Extract<BlobName, { of: 'checkpoint' }>): Promise<string | null> {
    if (!(await this.jobs.find(connection, account, job))) return null;
    return (await this.records.checkpoints(connection, job)).find((one) => one.step === step)?.[part] ?? null;
  }
}
