import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, type DatasetKind, isServiceError } from '@slipway/contracts';
import type { ValidationOptions, ValidationResult } from '@slipway/datasets';
import { Transactions } from '@slipway/database';
import { LOG, type Logger } from '@slipway/platform';
import { BlobStore } from '../blobs/blob-store.js';
import { BlobUsesRepository } from '../blobs/blob-uses.repository.js';
import { InstallationSecrets } from '../blobs/installation-secrets.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { readingOf, versionOwner, type VersionRow } from '../datasets/version-rows.js';
import { type VersionChange, VersionsRepository } from '../datasets/versions.repository.js';
import { Imports } from '../imports/imports.js';
import { announceWork, Leader } from '../leader.js';
import { QuotasService } from '../quotas/quotas.service.js';
import type { ValidatedFiles } from './validation-messages.js';
import { runValidation } from './validation-run.js';

/** Validations at one time: each takes a processor. */
const AT_ONCE = 2;
/** Pause after a failure that may pass, in milliseconds. */
const RETRY_MS = 2_000;
/** How often a validation whose process died is begun again. */
const TRIES = 3;

type Row = VersionRow & { readonly account: AccountId };
const keyOf = ({ dataset_id, number }: VersionRow): string => `${dataset_id}/${number}`;

/**
 * Checks versions, on the replica that leads: their files are read in threads, progress and issues are stored while they are. A
 * version whose check was cut off is checked again from its stored file.
 */
@Injectable()
export class Validator {
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  #again = false;
  #looking: Promise<void> | null = null;

  // oxlint-disable-next-line slipway/max-params -- a check reads and writes blobs, rows and bounds; each dependency does one of these
  constructor(
    private readonly leader: Leader,
    private readonly transactions: Transactions,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly blobs: BlobStore,
    private readonly uses: BlobUsesRepository,
    private readonly secrets: InstallationSecrets,
    private readonly quotas: QuotasService,
    private readonly imports: Imports,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  start(): void {
    this.leader.on('elected', () => this.#look());
    this.leader.on('work', () => this.#look());
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The service stops.'));
    await this.#looking;
    await Promise.allSettled(this.#running.values());
  }

  /** Begins what waits, as far as there is room. Calls that come meanwhile make it look once more. */
  #look(): void {
    this.#again = true;
    this.#looking ??= this.#lookAll();
  }

  async #lookAll(): Promise<void> {
    // What follows must not end before `#looking` is set.
    await Promise.resolve();
    while (this.#again && !this.#stopping.signal.aborted && this.leader.leads) {
      this.#again = false;
      try {
        const open = (await this.transactions.read((connection) => this.versions.open(connection))) as Row[];
        const waiting = open.filter((row) => !this.#running.has(keyOf(row)));
        for (const row of waiting.slice(0, Math.max(0, AT_ONCE - this.#running.size))) this.#begin(row);
      } catch (error) {
        this.log.warn({ err: error }, 'validation.look_failed');
        await delay(RETRY_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
        this.#again = true;
      }
    }
    this.#looking = null;
  }

  #begin(row: Row): void {
    const key = keyOf(row);
    const work = this.#take(row)
      .catch(async (error: unknown) => {
        if (this.#stopping.signal.aborted) return;
        this.log.warn({ dataset: row.dataset_id, version: row.number, err: error }, 'validation.failed');
        await delay(RETRY_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      })
      .finally(() => {
        this.#running.delete(key);
        this.#look();
      });
    this.#running.set(key, work);
  }

  async #take(row: Row): Promise<void> {
    if (row.tries >= TRIES)
      return this.#give(row, {
        state: 'invalid',
        reason: 'interrupted',
        detail: 'The check was cut off several times. Upload the file again.',
      });
    const id = { dataset: row.dataset_id, version: row.number };
    await this.transactions.run((tx) => this.versions.change(tx, id, { tries: row.tries + 1, progress: 0 }, ['uploading', 'validating']));
    if (row.state === 'uploading') return this.imports.fetch(row, this.#stopping.signal);
    try {
      await this.#validate(row);
    } catch (error) {
      // A database that is away costs no try: nothing was decided.
      if (isServiceError(error) && error.code === 'unavailable')
        await this.transactions.run((tx) => this.versions.change(tx, id, { tries: row.tries }, ['validating']));
      throw error;
    }
  }

  async #validate(row: Row): Promise<void> {
    const { account, reading } = row;
    const id = { dataset: row.dataset_id, version: row.number };
    const { quotas, split } = await this.transactions.read(async (connection) => ({
      quotas: await this.quotas.of(connection, account),
      split: (await this.datasets.find(connection, account, row.dataset_id))?.split,
    }));
    const original = await this.blobs.local(account, row.original ?? '');
    try {
      await this.transactions.run((tx) => this.versions.clearIssues(tx, id));
      const task = {
        original: { path: original.path, key: original.key, bytes: original.bytes },
        key: await this.secrets.keyOf(account),
        paths: {
          canonical: await this.blobs.stagingPath(),
          rejected: await this.blobs.stagingPath(),
          index: await this.blobs.stagingPath(),
        },
        options: {
          ...(readingOf(reading) as ValidationOptions),
          learned: split?.learned ?? [],
          limits: { fileBytes: quotas.file_bytes, examples: quotas.examples },
        },
      };
      let known = 0;
      const done = await runValidation(task, {
        signal: this.#stopping.signal,
        progress: ({ progress, issues }) =>
          this.transactions.run(async (tx) => {
            await this.versions.addIssues(tx, id, known, issues);
            known += issues.length;
            const { bytes, examples, rejected } = progress;
            const change = { progress: original.bytes === 0 ? 0 : Math.min(1, bytes / original.bytes), examples, rejected };
            await this.versions.change(tx, id, change, ['validating']);
          }),
      });
      await this.#finish(row, done.result, done.files);
    } finally {
      await original.done();
    }
  }

  async #finish(row: Row, result: ValidationResult, files: ValidatedFiles): Promise<void> {
    const { account } = row;
    const dataset = await this.transactions.read((connection) => this.datasets.find(connection, account, row.dataset_id));
    const outcome = outcomeOf(result, dataset?.kind ?? 'sft');
    const isReady = outcome.state === 'ready';
    const stored = isReady ? await Promise.all([files.canonical, files.index].map((file) => this.blobs.keep(account, file))) : [];
    if (!isReady) await Promise.all([files.canonical, files.index].map((file) => this.blobs.discard(file)));
    const rejected = files.rejected && (await this.blobs.keep(account, files.rejected));
    const [canonical = null, index = null] = stored.map(({ sha256 }) => sha256);
    const blobs = { canonical, line_index: index, rejected_blob: rejected === null ? null : rejected.sha256 };
    await this.#give(row, { ...outcome, ...blobs, ...figuresOf(result) }, result);
  }

  /** Writes what came of a version, in one transaction with the uses of its blobs. */
  async #give(row: Row, change: VersionChange, result?: ValidationResult): Promise<void> {
    const id = { dataset: row.dataset_id, version: row.number };
    await this.transactions.run(async (tx) => {
      if (!(await this.versions.change(tx, id, { ...change, progress: null }, ['uploading', 'validating']))) return;
      if (result) {
        await this.versions.clearIssues(tx, id);
        await this.versions.addIssues(tx, id, 0, result.issues);
        await this.versions.setTotals(tx, id, result.totals);
      }
      const blobs = [change.canonical, change.line_index, change.rejected_blob].filter((sha256) => typeof sha256 === 'string');
      for (const sha256 of blobs) await this.uses.use(tx, { account: row.account, sha256 }, versionOwner(row));
      if (result && change.state === 'ready') await this.datasets.planSplit(tx, row.dataset_id, result.split);
      await this.datasets.touch(tx, row.dataset_id);
      await announceWork(tx);
    });
    this.log.info({ dataset: row.dataset_id, version: row.number, state: change.state, reason: change.reason }, 'validation.ended');
  }
}

/** What a validation decides for a data set of this kind. */
function outcomeOf(result: ValidationResult, kind: DatasetKind): Pick<VersionChange, 'state' | 'reason' | 'detail'> {
  if (result.state !== 'ready' || result.kind === kind) return { state: result.state, reason: result.reason, detail: result.detail };
  const detail = `The file holds ${WORDS[result.kind]}, and this data set takes ${WORDS[kind]}.`;
  return { state: 'invalid', reason: 'wrong_kind', detail };
}

const figuresOf = (result: ValidationResult): VersionChange => ({
  ...{ format: result.format, bytes: result.canonicalBytes, examples: result.examples, rejected: result.rejected },
  ...{ duplicates: result.statistics.duplicates, statistics: result.statistics, repairs: [...result.repairs] },
});

const WORDS = { sft: 'conversations to learn', preference: 'pairs of answers' } as const;
