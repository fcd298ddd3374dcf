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
  return {
    kind: 'import',
    account,
    import: upload,
    base,
    base_sha256: base_sha256 ?? '',
    parts: row.parts ?? [],
    ...(row.prompts && { prompts: row.prompts }),
  };
}

interface Found {
  /** The worker that it goes to, or has. */
  readonly worker: TrainerHeartbeat | undefined;
  /** Whether any worker could take it. */
  readonly isAble: boolean;
}

/** What a round finds out about an import; null = nothing new. */
function changeOf(row: ImportRow, { worker, isAble }: Found): ImportChange | null {
  if (!worker) return waitOf(row, isAble);
  if (worker.tw === row.worker) return null;
  if (row.tries >= TRIES_MAX) return ended('worker_failed', `${TRIES_MAX} workers were lost while they checked this adapter.`);
  const base = baseOf(worker, row)?.base ?? row.base;
  return { state: 'checking', reason: null, detail: null, base, worker: worker.tw, tries: row.tries + 1 };
}

function waitOf(row: ImportRow, isAble: boolean): ImportChange | null {
  const missing = `No connected training worker has the base ${row.base ?? 'of this adapter'} (SHA-256 ${row.base_sha256 ?? ''}).`;
  const [reason, detail] = isAble ? [null, null] : (['no_worker', missing] as const);
  const waitedMs = Date.now() - (row.arrived_at?.getTime() ?? Date.now());
  if (!isAble && waitedMs > WAITS_MS) return ended('no_worker', missing);
  const isNew = row.state !== 'waiting' || row.detail !== detail || row.worker !== null;
  return isNew ? { state: 'waiting', reason, detail, worker: null } : null;
}

const ended = (reason: NonNullable<ImportRow['reason']>, detail: string): ImportChange => ({
  state: 'failed',
  reason,
  detail,
  worker: null,
});
