import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Incarnation, ReportImport, StoreImportBlob, type TrainerBase, type TrainingItem } from '@slipway/contracts';
import type { Logger, LogThreshold, RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import type { FromTask } from '../job/job-messages.js';
import { type ImportedAdapter, PART_FILES } from '../training/import-adapter.js';
import { TrainingFault, type TrainingFaultCode } from '../training-fault.js';
import type { BlobFiles, StoredBlob } from './blob-files.js';
import { sideReported } from './side-report.js';
import { TaskProcess } from './task-process.js';

export type ImportItem = Extract<TrainingItem, { kind: 'import' }>;

export interface ImportRunOptions {
  readonly item: ImportItem;
  readonly tw: Incarnation;
  readonly base: TrainerBase;
  readonly folder: string;
  readonly hashFolder: string;
  readonly threads: number;
  readonly blobs: BlobFiles;
  readonly rpc: RpcClient;
  readonly threshold: LogThreshold;
  readonly log: Logger;
}

type Report = Omit<z.input<typeof ReportImport.request>, 'tw' | 'account' | 'import'>;
type Failure = NonNullable<Report['failed']>;

/** Of a result that tuning-service does not take. */
const REFUSED: Report = {
  failed: { reason: 'worker_failed', detail: 'The adapter was checked, and its result was refused. The log of the worker says why.' },
};
const REASONS: Partial<Record<TrainingFaultCode, Failure['reason']>> = {
  adapter_mismatch: 'adapter_mismatch',
  base_changed: 'base_changed',
  no_effect: 'no_effect',
  storage_failed: 'storage_failed',
};

/** Checks one adapter from outside on its base, stores both forms, and reports what came of it. */
export class ImportRun {
  /** Resolves when the report is answered, or the run was ended. Never rejects. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();
  #process: TaskProcess | undefined;

  constructor(private readonly options: ImportRunOptions) {
    this.ended = this.#run().catch((error: unknown) => options.log.error({ import: options.item.import, err: error }, 'import.failed'));
  }

  /** Ends it without a report. */
  end(): void {
    this.#abort.abort(new Error('The import is not wanted any more.'));
    this.#process?.kill();
  }

  async #run(): Promise<void> {
    const { folder } = this.options;
    try {
      const result = await this.#result().catch(failure);
      // What cannot be stored must not wait for ever.
      if (!(await this.#report(result)) && result.failed === undefined) await this.#report(REFUSED);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #result(): Promise<Report> {
    await this.#fetch();
    const { item, base, folder, hashFolder, threads, threshold } = this.options;
    const isGguf = item.parts.some(({ part }) => part === 'gguf');
    const { prompts = [] } = item;
    const adapter = { folder, isGguf, base: { path: base.path, sha256: item.base_sha256 }, prompts, hashFolder, threads };
    let end: FromTask | undefined;
    this.#process = new TaskProcess({ k: 'import', adapter }, threshold, (message) => {
      end = message;
    });
    const how = await this.#process.ended;
    if (end?.k === 'imported') return this.#store(end.adapter);
    if (end?.k === 'outcome' && end.outcome.state === 'failed') throw new TrainingFault(end.outcome.code, end.outcome.message);
    throw new TrainingFault('trainer_crashed', `The process that checked the adapter ended with ${how}.`);
  }

  /** Fetches the uploaded file, and writes its parts as files of their own. */
  async #fetch(): Promise<void> {
    const { item, folder, blobs } = this.options;
    const given = join(folder, 'given');
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await blobs.fetch({ of: 'import', account: item.account, import: item.import }, given, { signal: this.#abort.signal });
    for (const { part, from, bytes } of item.parts) {
      const path = join(folder, PART_FILES[part]);
      if (bytes === 0) await writeFile(path, '');
      else await pipeline(createReadStream(given, { start: from, end: from + bytes - 1 }), createWriteStream(path));
    }
    await rm(given);
  }

  async #store(made: ImportedAdapter): Promise<Report> {
    const { item, tw, blobs, rpc } = this.options;
    const name = { tw, account: item.account, import: item.import };
    const store = (path: string): Promise<StoredBlob> =>
      blobs.storeBy(path, (blob) => rpc.call(StoreImportBlob, { ...name, ...blob }), { signal: this.#abort.signal });
    const [gguf, peft] = [await store(made.gguf), await store(made.peft)];
    const { rank, alpha, modules, templateSha256, tokenizerSha256, witness } = made;
    const hashes = { base_sha256: item.base_sha256, template_sha256: templateSha256, tokenizer_sha256: tokenizerSha256 };
    return { adapter: { gguf, peft, rank, alpha, modules: [...modules], ...hashes, witness } };
  }

  #report(report: Report): Promise<boolean> {
    const { item, tw, rpc, log } = this.options;
    const request = { tw, account: item.account, import: item.import, ...report };
    const facts = { import: item.import };
    return sideReported({ send: () => rpc.call(ReportImport, request), gone: 'upload_not_found', signal: this.#abort.signal, log, facts });
  }
}

/** What an error is to the owner of the adapter. */
function failure(error: unknown): Report {
  if (!(error instanceof TrainingFault))
    return { failed: { reason: 'worker_failed', detail: 'The adapter could not be checked on the worker.' } };
  return { failed: { reason: REASONS[error.code] ?? 'worker_failed', detail: error.message.slice(0, 1_000) } };
}
