import { Injectable } from '@nestjs/common';
import { AuditLog, type Tx } from '@slipway/database';
import { actorOf } from '../actor-columns.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { announceWork } from '../leader.js';
import { QuotasService } from '../quotas/quotas.service.js';
import { DatasetsRepository } from './datasets.repository.js';
import { datasetNotFound } from './dataset-access.js';
import { versionOwner } from './version-rows.js';
import { type NewVersion, VersionsRepository } from './versions.repository.js';

/** Makes versions. What checks them is woken when the transaction commits. */
@Injectable()
export class NewVersions {
  constructor(
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly blobs: BlobUsesRepository,
    private readonly quotas: QuotasService,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Makes the next version of a data set, which is checked once the transaction commits. The same file read the same way is the version that
   * exists already.
   * @returns its number
   * @throws ServiceError `dataset_not_found`, `quota_exceeded`
   */
  async make(tx: Tx, version: Omit<NewVersion, 'state'>): Promise<number> {
    const { account, dataset, original, origin, reading = {} } = version;
    await this.quotas.lock(tx, account);
    const locked = await this.datasets.lock(tx, account, dataset);
    if (!locked) throw datasetNotFound();
    const same = original && (await this.versions.sameFile(tx, dataset, original.sha256, reading));
    if (same !== undefined && same !== null) return same;
    await this.quotas.claimVersion(tx, account, { versions: locked.versions, bytes: original?.bytes ?? 0 });
    const number = await this.versions.insert(tx, { ...version, state: original ? 'validating' : 'uploading' });
    if (original) await this.blobs.use(tx, { account, sha256: original.sha256 }, versionOwner({ dataset_id: dataset, number }));
    await this.datasets.touch(tx, dataset);
    const facts = { version: number, origin, sha256: original?.sha256 ?? null };
    const object = { object: `dataset:${dataset}`, objectName: locked.name };
    await this.audit.record(tx, { account, actor: actorOf(version), action: 'dataset.upload', ...object, facts });
    await announceWork(tx);
    return number;
  }
}
