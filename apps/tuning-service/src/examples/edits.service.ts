import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type AccountId, type AddExamples, type AddSample, type ImportDataset, type RepairVersion, ServiceError } from '@slipway/contracts';
import { AccountTransactions } from '@slipway/database';
import { sampleDataset, validateDataset } from '@slipway/datasets';
import { CONFIG, HostList } from '@slipway/platform';
import { Inject } from '@nestjs/common';
import type { z } from 'zod';
import { actorColumns } from '../actor-columns.js';
import { BlobStore } from '../blobs/blob-store.js';
import type { TuningServiceConfig } from '../config.js';
import { CreationsRepository } from '../creations.repository.js';
import { datasetNotFound } from '../datasets/dataset-access.js';
import { DatasetsRepository } from '../datasets/datasets.repository.js';
import { NewVersions } from '../datasets/new-versions.js';
import { readingOf, type VersionRow } from '../datasets/version-rows.js';
import { VersionsRepository } from '../datasets/versions.repository.js';
import { notReady } from './version-errors.js';

/** Most bytes of added examples. */
const ADDED_BYTES = 128 * 1024;

type Request<C extends { request: z.ZodType }> = z.output<C['request']>;
type Reply<C extends { reply: z.ZodType }> = Promise<z.input<C['reply']>>;

/** Makes versions of versions, of other places and of the sample. */
@Injectable()
export class EditsService {
  readonly #hosts: HostList;

  // oxlint-disable-next-line slipway/max-params -- an edit reads a version and makes the next one, once for a key
  constructor(
    private readonly transactions: AccountTransactions,
    private readonly datasets: DatasetsRepository,
    private readonly versions: VersionsRepository,
    private readonly made: NewVersions,
    private readonly creations: CreationsRepository,
    private readonly blobs: BlobStore,
    @Inject(CONFIG) { DATASET_HOSTS: hosts }: TuningServiceConfig,
  ) {
    this.#hosts = new HostList(hosts);
  }

  async import(request: Request<typeof ImportDataset>): Reply<typeof ImportDataset> {
    const { account, dataset, url, idempotency_key: key, actor } = request;
    if (!this.#hosts.allows(new URL(url))) {
      const message = `Data sets may not be imported from ${new URL(url).host}. The operator can add the host to DATASET_HOSTS.`;
      throw new ServiceError('source_not_allowed', message, { param: 'url' });
    }
    const version = await this.transactions.run(request, (tx) =>
      this.creations.once(tx, { account, ...(key !== undefined && { key }) }, `version:${dataset}`, () =>
        this.made.make(tx, { dataset, account, origin: 'url', url, reading: readingOf(request), ...actorColumns(actor) }),
      ),
    );
    return { version };
  }

  async addSample(request: Request<typeof AddSample>): Reply<typeof AddSample> {
    const { account, dataset, actor } = request;
    const original = await this.blobs.store(account, Readable.from([Buffer.from(sampleDataset())]));
    const version = await this.transactions.run(request, (tx) =>
      this.made.make(tx, { dataset, account, origin: 'sample', original, ...actorColumns(actor) }),
    );
    return { version };
  }

  /** Reads the same file again with repairs. */
  async repair(request: Request<typeof RepairVersion>): Reply<typeof RepairVersion> {
    const { account, dataset, version, repairs, actor } = request;
    const made = await this.transactions.run(request, async (tx) => {
      const row = await this.versions.find(tx, { dataset, version });
      if (!row || row.account !== account) throw datasetNotFound();
      if (row.original === null || !['ready', 'invalid'].includes(row.state)) throw notReady(row);
      const reading = readingOf({ ...row.reading, repairs: [...(row.reading.repairs ?? []), ...repairs] });
      const original = { sha256: row.original, bytes: row.original_bytes };
      return this.made.make(tx, { dataset, account, origin: 'repair', parent: version, reading, original, ...actorColumns(actor) });
    });
    return { version: made };
  }

  /** Makes a version of a ready one without some examples and with others behind it. */
  async add(request: Request<typeof AddExamples>): Reply<typeof AddExamples> {
    const { account, dataset, base_version: base, remove = [], origin = 'edit', idempotency_key: key, actor } = request;
    const added = await canonicalOf(request.examples);
    const former = await this.#base(account, request);
    const original = await this.blobs.store(account, this.#edited(account, former, new Set(remove), added));
    const version = await this.transactions.run(request, (tx) =>
      this.creations.once(tx, { account, ...(key !== undefined && { key }) }, `version:${dataset}`, async () => {
        const newest = await this.versions.newestReady(tx, dataset);
        if ((newest?.number ?? null) !== base) throw changed(newest?.number ?? null);
        return this.made.make(tx, { dataset, account, origin, parent: base, original, ...actorColumns(actor) });
      }),
    );
    return { version };
  }

  #base(account: AccountId, { dataset, base_version: base }: Request<typeof AddExamples>): Promise<VersionRow | null> {
    return this.transactions.read(account, async (connection) => {
      if (!(await this.datasets.find(connection, account, dataset))) throw datasetNotFound();
      if (base === null) return null;
      const row = await this.versions.find(connection, { dataset, version: base });
      if (!row) throw datasetNotFound();
      if (row.state !== 'ready') throw notReady(row);
      return row;
    });
  }

  async *#edited(account: AccountId, former: VersionRow | null, removed: ReadonlySet<number>, added: Buffer): AsyncGenerator<Buffer> {
    if (former?.canonical != null) {
      const blob = await this.blobs.require(account, former.canonical);
      let n = 0;
      for await (const line of createInterface({ input: Readable.from(blob.read()), crlfDelay: Infinity })) {
        n += 1;
        if (!removed.has(n)) yield Buffer.from(`${line}\n`);
      }
    }
    yield added;
  }
}

/**
 * Added examples in canonical form. Each may have a format of its own.
 * @throws ServiceError `request_too_large`; `invalid_request` naming the first fault
 */
async function canonicalOf(examples: readonly Record<string, unknown>[]): Promise<Buffer> {
  const texts = examples.map((example) => Buffer.from(`${JSON.stringify(example)}\n`));
  if (texts.reduce((sum, { length }) => sum + length, 0) > ADDED_BYTES)
    throw new ServiceError('request_too_large', `Examples may have at most ${ADDED_BYTES} bytes in all.`, { param: 'examples' });
  const lines: Uint8Array[] = [];
  for (const [i, text] of texts.entries()) {
    const result = await validateDataset(Readable.from([text]), {}, { batch: ({ bytes }) => void lines.push(bytes) });
    const fault = result.issues.find(({ severity }) => severity === 'error');
    if (!fault && result.state === 'ready') continue;
    const what = fault?.message.replace(/^Line 1\b/, `Example ${i + 1}`) ?? `Example ${i + 1} is not usable.`;
    throw new ServiceError('invalid_request', what, { param: 'examples' });
  }
  return Buffer.concat(lines);
}

const changed = (newest: number | null): ServiceError =>
  new ServiceError('dataset_changed', `The data set changed meanwhile: its newest ready version is ${newest ?? 'none'}.`, {
    param: 'base_version',
  });
