import { Injectable } from '@nestjs/common';
import { IMPORT_FEATURE, type TrainerHeartbeat, type TrainingItem } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { AdapterImportsRepository, type ImportChange, importOwner, type ImportRow } from '../adapter-imports/adapter-imports.repository.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { TrainerTable } from '../trainers/trainer-table.js';

/** Workers that may be lost while they check one adapter. */
const TRIES_MAX = 3;
/** How long an adapter waits for a worker that has its base, in milliseconds. */
const WAITS_MS = 24 * 3_600_000;

/** Gives adapters from outside to training workers that have their base, one to each worker at a time. */
@Injectable()
export class ImportRounds {
  constructor(
    private readonly transactions: Transactions,
    private readonly imports: AdapterImportsRepository,
    private readonly uses: BlobUsesRepository,
    private readonly table: TrainerTable,
  ) {}

  /** What each worker must check, by its name. */
  async run(): Promise<ReadonlyMap<string, TrainingItem>> {
    const rows = await this.transactions.read((connection) => this.imports.open(connection));
    const items = new Map<string, TrainingItem>();
    if (rows.length === 0) return items;
    const workers = this.table.live().filter(({ features, draining }) => !draining && features.includes(IMPORT_FEATURE));
    // Those that have one keep it.
    for (const row of rows.toSorted((a, b) => Number(b.worker !== null) - Number(a.worker !== null))) {
      const able = workers.filter((worker) => baseOf(worker, row) !== undefined);
      const worker = able.find(({ tw }) => tw === row.worker) ?? able.find(({ tw }) => !items.has(tw));
      if (worker && (worker.tw === row.worker || row.tries < TRIES_MAX)) items.set(worker.tw, itemOf(row, worker));
      await this.#change(row, changeOf(row, { worker, isAble: able.length > 0 }));
    }
    return items;
  }

  async #change(row: ImportRow, change: ImportChange | null): Promise<void> {
    if (!change) return;
    await this.transactions.run(async (tx) => {
      const now = await this.imports.lock(tx, row.account, row.upload_id);
      if (now?.state !== row.state || now.worker !== row.worker) return;
      await this.imports.change(tx, row.upload_id, change);
      if (change.state === 'failed') await this.uses.release(tx, row.account, [importOwner(row.upload_id)]);
    });
  }
}

const baseOf = ({ bases }: TrainerHeartbeat, row: ImportRow): TrainerHeartbeat['bases'][number] | undefined =>
  bases.find(({ sha256 }) => sha256 === row.base_sha256);

function itemOf(row: ImportRow, worker: TrainerHeartbeat): TrainingItem {
  const { account, upload_id: upload, base_sha256 } = row;
  const base = baseOf(worker, row)?.base ?? '';
  return { kind: 'import', account, import: upload, base, base_sha256: base_sha256 ?? '', parts: row.parts ?? [] };
}

/** What a round finds out about an import; null = nothing new. */
function changeOf(row: ImportRow, { worker, isAble }: { worker: TrainerHeartbeat | undefined; isAble: boolean }): ImportChange | null {
  if (worker && worker.tw === row.worker) return null;
  if (worker && row.tries >= TRIES_MAX)
    return {
      state: 'failed',
      reason: 'worker_failed',
      detail: `${TRIES_MAX} workers were lost while they checked this adapter.`,
      worker: null,
    };
  if (worker) {
    const base = baseOf(worker, row)?.base ?? row.base;
    return { state: 'checking', reason: null, detail: null, base, worker: worker.tw, tries: row.tries + 1 };
  }
  const detail = isAble
    ? null
    : `No connected training worker has the base ${row.base ?? 'of this adapter'} (SHA-256 ${row.base_sha256 ?? ''}).`;
  if (!isAble && Date.now() - (row.arrived_at?.getTime() ?? Date.now()) > WAITS_MS)
    return { state: 'failed', reason: 'no_worker', detail, worker: null };
  const waits = { state: 'waiting', reason: isAble ? null : ('no_worker' as const), detail, worker: null } as const;
  return row.state === waits.state && row.detail === detail && row.worker === null ? null : waits;
}
