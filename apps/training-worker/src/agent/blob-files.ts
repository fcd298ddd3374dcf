import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type BlobName, type Incarnation, isServiceError, type JobId, OpenBlob, StoreBlob } from '@slipway/contracts';
import { type RpcClient, trustingFetch } from '@slipway/platform';
import type { z } from 'zod';
import { diskFull, isDiskFull, TrainingFault } from '../training-fault.js';

/** Most tries while the store answers, and gives or takes other bytes. */
const TRIES = 5;
/** The pause before the next try grows by this, in milliseconds. */
const PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 5_000;
/** How long what a job cannot go on without is repeated while the store is away or full, in milliseconds. */
const AWAY_MS = 3_600_000;

/** An attempt of a job, in whose name blobs are stored. */
export interface AttemptName {
  readonly tw: Incarnation;
  readonly job: JobId;
  readonly attempt: number;
}

/** A stored blob. */
export interface StoredBlob {
  readonly sha256: string;
  readonly bytes: number;
}

/** How a transfer behaves while the store is away or full. */
export interface TransferOptions {
  readonly signal: AbortSignal;
  /** Repeats it for an hour; without, a few seconds. */
  readonly isPatient?: boolean;
  /** Called before the first pause of a patient one. */
  readonly onAway?: (reason: 'away' | 'full') => void;
}

/** Where a blob is to be written; `url` null = it is stored already. */
type StoreAddress = z.output<typeof StoreBlob.reply>;

class MissingBlobError extends Error {}

/** The blob door refused a transfer. */
class DoorError extends Error {
  constructor(readonly status: number) {
    super(`The blob door answered ${status}.`);
  }
}

/** Fetches and stores files at the blob door, each by a ticket of its own. */
export class BlobFiles {
  readonly #fetch: typeof fetch;

  /** @param caFile authorities of the door's certificate; undefined = those that Node trusts */
  constructor(
    private readonly rpc: RpcClient,
    caFile?: string,
  ) {
    this.#fetch = trustingFetch(caFile);
  }

  /**
   * Fetches a blob into a file, and waits an hour for a store that is away.
   * @throws TrainingFault `storage_failed` when it is gone, or cannot be read; `no_disk` when this machine's disk is full
   */
  async fetch(blob: z.input<typeof BlobName>, path: string, options: TransferOptions): Promise<void> {
    const { signal } = options;
    await this.#try({ ...options, isPatient: true }, async () => {
      await mkdir(dirname(path), { recursive: true });
      const { url, sha256 } = await this.rpc.call(OpenBlob, { blob }).catch((error: unknown) => {
        throw isServiceError(error) && error.code === 'blob_not_found' ? new MissingBlobError() : error;
      });
      const part = `${path}.part`;
      const response = await this.#fetch(url, { signal });
      if (response.status !== 200 || !response.body) throw new DoorError(response.status);
      const hash = createHash('sha256');
      const body = Readable.fromWeb(response.body);
      body.on('data', (piece: Buffer) => hash.update(piece));
      await pipeline(body, createWriteStream(part), { signal });
      if (hash.digest('hex') !== sha256) {
        await rm(part, { force: true });
        throw new Error('The blob door gave other bytes.');
      }
      await rename(part, path);
    });
  }

  /** Stores a file of a job. @throws TrainingFault `storage_failed`, or `no_disk` when the store is full; ServiceError `attempt_superseded` */
  store(path: string, attempt: AttemptName, options: TransferOptions): Promise<StoredBlob> {
    return this.storeBy(path, (blob) => this.rpc.call(StoreBlob, { ...attempt, ...blob }), options);
  }

  /** Stores a file at the address that `ask` gets for it. @throws as `store` */
  async storeBy(path: string, ask: (blob: StoredBlob) => Promise<StoreAddress>, options: TransferOptions): Promise<StoredBlob> {
    const { size: bytes } = await stat(path);
    const hash = createHash('sha256');
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
    const sha256 = hash.digest('hex');
    await this.#try(options, async () => {
      const { url, ticket } = await ask({ bytes, sha256 });
      if (url === null) return;
      const target = new URL(url);
      if (ticket !== null && !target.searchParams.has('t')) target.searchParams.set('t', ticket);
      const body = Readable.toWeb(createReadStream(path)) as ReadableStream;
      const init = { method: 'PUT', body, duplex: 'half', signal: options.signal, headers: { 'content-length': String(bytes) } } as const;
      const response = await this.#fetch(target, init);
      await response.arrayBuffer();
      if (response.status >= 300) throw new DoorError(response.status);
    });
    return { sha256, bytes };
  }

  async #try({ signal, isPatient = false, onAway }: TransferOptions, transfer: () => Promise<void>): Promise<void> {
    const since = performance.now();
    let isAnnounced = false;
    for (let tries = 1; ; tries += 1) {
      try {
        await transfer();
        return;
      } catch (error) {
        signal.throwIfAborted();
        const why = isPatient ? awayOf(error) : null;
        const isOver = why === null ? tries >= TRIES : performance.now() - since >= AWAY_MS;
        if (isOver || isFinal(error)) throw asFault(error);
        if (why !== null && !isAnnounced) onAway?.(why);
        isAnnounced ||= why !== null;
      }
      await pause(Math.min(PAUSE_MS * tries, PAUSE_MAX_MS), undefined, { signal });
    }
  }
}

const isSuperseded = (error: unknown): boolean => isServiceError(error) && error.code === 'attempt_superseded';

/** Whether another try would fail as this one did. */
const isFinal = (error: unknown): boolean => error instanceof MissingBlobError || isDiskFull(error) || isSuperseded(error);

/** Why a transfer failed for which waiting helps; null for another failure. */
function awayOf(error: unknown): 'away' | 'full' | null {
  if (isServiceError(error)) return error.code === 'no_disk' ? 'full' : 'away';
  if (error instanceof DoorError) return error.status >= 500 ? 'away' : null;
  // What `fetch` throws when there is no answer, or it breaks off.
  return error instanceof TypeError ? 'away' : null;
}

/** Addresses with tickets must not reach a log, so the cause is not passed on. */
function asFault(error: unknown): Error {
  if (isSuperseded(error)) return error as Error;
  if (isDiskFull(error)) return diskFull();
  if (error instanceof MissingBlobError) return new TrainingFault('storage_failed', 'The data of the job is gone.');
  if (awayOf(error) === 'full') return new TrainingFault('no_disk', 'The blob store is full. Its operator must free some disk.');
  return new TrainingFault('storage_failed', 'The blob store does not answer, or gives other bytes.');
}
