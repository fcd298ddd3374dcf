import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { type AccountId, ServiceError } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { CONFIG, LOG, type Logger } from '@slipway/platform';
import type { TuningServiceConfig } from '../config.js';
import { type BlobDriver, FolderDriver } from './blob-drivers.js';
import { type BlobKey, BlobUsesRepository } from './blob-uses.repository.js';
import { InstallationSecrets } from './installation-secrets.js';
import { S3Driver } from './s3-driver.js';
import { noRoom, readStored, type StagedFile, StagedWriter } from './sealed-file.js';

/** Least part of the store's room that stays free. */
const FREE_MIN = 0.05;

/** A stored blob that can be read. */
export interface OpenBlob {
  readonly bytes: number;
  read(start?: number, end?: number): AsyncIterable<Buffer>;
}

/** A file of the blob store on this machine, which a thread can read by itself. */
export interface LocalBlob {
  readonly path: string;
  readonly key: Buffer | null;
  readonly bytes: number;
  done(): Promise<void>;
}

/** Stores, reads and removes blobs: immutable bytes of an account, named by their SHA-256, sealed where a secret key is set. */
@Injectable()
export class BlobStore {
  readonly #driver: BlobDriver;
  readonly #staging: string;
  #folders: Promise<unknown> | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly uses: BlobUsesRepository,
    private readonly secrets: InstallationSecrets,
    @Inject(CONFIG) { BLOB_DIR: folder, BLOB_URL: url }: TuningServiceConfig,
    @Inject(LOG) log: Logger,
  ) {
    this.#staging = join(folder, 'incoming');
    this.#driver = url === undefined ? new FolderDriver(folder) : new S3Driver(url, this.#staging, log);
  }

  /** A path for a file that is being written. */
  async stagingPath(): Promise<string> {
    this.#folders ??= mkdir(this.#staging, { recursive: true, mode: 0o700 });
    await this.#folders;
    return join(this.#staging, randomUUID());
  }

  /** @throws ServiceError `no_disk` while too little room is left */
  async requireRoom(bytes = 0): Promise<void> {
    await this.stagingPath();
    const room = await this.#driver.room();
    if (room !== null && (room.free < FREE_MIN || room.bytes < bytes)) throw noRoom();
  }

  /** Writes bytes under a temporary name. `keep` or `discard` ends it. @throws what `source` throws */
  async stage(account: AccountId, source: AsyncIterable<Uint8Array>): Promise<StagedFile> {
    const writer = await StagedWriter.create(await this.stagingPath(), await this.secrets.keyOf(account));
    try {
      for await (const piece of source) await writer.write(piece);
      return await writer.finish();
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  /** Stores a staged file, which is gone afterwards. Without a use it is removed an hour after `BLOB_KEEP_HOURS`. */
  async keep(account: AccountId, staged: StagedFile): Promise<{ sha256: string; bytes: number }> {
    const { sha256, bytes } = staged;
    const key = { account, sha256 };
    await this.transactions.run(async (tx) => {
      await this.uses.lock(tx, key);
      if ((await this.uses.touch(tx, key)) === null) {
        await this.#driver.put(nameOf(key, staged.isSealed), staged.path);
        await this.uses.stored(tx, key, { bytes, isSealed: staged.isSealed });
      }
    });
    await this.discard(staged);
    return { sha256, bytes };
  }

  async discard({ path }: StagedFile): Promise<void> {
    await rm(path, { force: true });
  }

  /** Stores bytes at once. */
  async store(account: AccountId, source: AsyncIterable<Uint8Array>): Promise<{ sha256: string; bytes: number }> {
    return this.keep(account, await this.stage(account, source));
  }

  /** Null when the account has no such blob. */
  async open(account: AccountId, sha256: string): Promise<OpenBlob | null> {
    const found = await this.#find({ account, sha256 });
    if (!found) return null;
    const stored = { raw: this.#driver.read(found.name), key: found.key, bytes: found.bytes };
    return { bytes: found.bytes, read: (start, end) => readStored(stored, start, end) };
  }

  /** @throws ServiceError `blob_not_found` */
  async require(account: AccountId, sha256: string): Promise<OpenBlob> {
    const found = await this.open(account, sha256);
    if (!found) throw blobNotFound();
    return found;
  }

  /** The blob as a file for a thread. @throws ServiceError `blob_not_found` */
  async local(account: AccountId, sha256: string): Promise<LocalBlob> {
    const found = await this.#find({ account, sha256 });
    if (!found) throw blobNotFound();
    return { ...(await this.#driver.local(found.name)), key: found.key, bytes: found.bytes };
  }

  /** Removes blobs whose last use ended before this time. @returns how many */
  async removeUnused(keptSeconds: number): Promise<number> {
    const expired = await this.transactions.read((connection) => this.uses.expired(connection, keptSeconds));
    for (const key of expired) {
      await this.transactions.run(async (tx) => {
        await this.uses.lock(tx, key);
        if (!(await this.uses.forget(tx, key, keptSeconds))) return;
        for (const isSealed of [false, true]) await this.#driver.remove(nameOf(key, isSealed));
      });
    }
    return expired.length;
  }

  async #find(key: BlobKey): Promise<{ name: string; key: Buffer | null; bytes: number } | null> {
    const row = await this.transactions.read((connection) => this.uses.find(connection, key));
    if (!row) return null;
    const own = row.sealed ? await this.secrets.keyOf(key.account) : null;
    if (row.sealed && own === null) throw new ServiceError('unavailable', 'This blob is sealed, and no SLIPWAY_SECRET_KEY is set.');
    return { name: nameOf(key, row.sealed), key: own, bytes: row.bytes };
  }
}

/** Accounts share no blob: its existence says nothing to others, and each is sealed with the account's own key. */
const nameOf = ({ account, sha256 }: BlobKey, isSealed: boolean): string =>
  `${account}/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}${isSealed ? '.sealed' : ''}`;

/** The error for a blob that does not exist or belongs to another account; callers cannot tell which. */
export const blobNotFound = (): ServiceError => new ServiceError('blob_not_found', 'This account has no such file.', { param: 'blob' });
