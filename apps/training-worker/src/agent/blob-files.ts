import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type BlobName, type Incarnation, isServiceError, type JobId, OpenBlob, StoreBlob } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { TrainingFault } from '../training-fault.js';

const TRIES = 5;
/** Time between two tries, in milliseconds. */
const PAUSE_MS = 1_000;

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

class MissingBlobError extends Error {}

/** Fetches and stores files at the blob door, each by a ticket of its own. */
export class BlobFiles {
  constructor(private readonly rpc: RpcClient) {}

  /** @throws TrainingFault `storage_failed` when it is gone, or cannot be read after several tries */
  async fetch(blob: z.input<typeof BlobName>, path: string, signal: AbortSignal): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await this.#try(signal, async () => {
      const { url, sha256 } = await this.rpc.call(OpenBlob, { blob }).catch((error: unknown) => {
        throw isServiceError(error) && error.code === 'blob_not_found' ? new MissingBlobError() : error;
      });
      const part = `${path}.part`;
      const response = await fetch(url, { signal });
      if (response.status !== 200 || !response.body) throw new Error(`The blob door answered ${response.status}.`);
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

  /** @throws TrainingFault `storage_failed`; ServiceError `attempt_superseded` */
  async store(path: string, attempt: AttemptName, signal: AbortSignal): Promise<StoredBlob> {
    const { size: bytes } = await stat(path);
    const hash = createHash('sha256');
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
    const sha256 = hash.digest('hex');
    await this.#try(signal, async () => {
      const { url, ticket } = await this.rpc.call(StoreBlob, { ...attempt, bytes, sha256 });
      if (url === null) return;
      const target = new URL(url);
      if (ticket !== null && !target.searchParams.has('t')) target.searchParams.set('t', ticket);
      const body = Readable.toWeb(createReadStream(path)) as ReadableStream;
      const init = { method: 'PUT', body, duplex: 'half', signal, headers: { 'content-length': String(bytes) } } as const;
      const response = await fetch(target, init);
      await response.arrayBuffer();
      if (response.status >= 300) throw new Error(`The blob door answered ${response.status}.`);
    });
    return { sha256, bytes };
  }

  async #try(signal: AbortSignal, transfer: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await transfer();
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (isServiceError(error) && error.code === 'attempt_superseded') throw error;
        if (attempt >= TRIES || error instanceof MissingBlobError) throw asFault(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
      }
    }
  }
}

/** Addresses with tickets must not reach a log, so the cause is not passed on. */
function asFault(error: unknown): TrainingFault {
  if (error instanceof MissingBlobError) return new TrainingFault('storage_failed', 'The data of the job is gone.');
  if (isServiceError(error) && error.code === 'no_disk') return new TrainingFault('no_disk', 'The blob store is full.');
  return new TrainingFault('storage_failed', 'The blob store does not answer, or gives other bytes.');
}
