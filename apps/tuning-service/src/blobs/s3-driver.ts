import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ServiceError } from '@slipway/contracts';
import type { Logger } from '@slipway/platform';
import type { BlobDriver } from './blob-drivers.js';
import type { RawReader } from './sealed-file.js';

type S3 = typeof import('@aws-sdk/client-s3');

/** A larger file goes in parts of this size, which the SDK repeats one by one: S3 takes 10,000 of them. */
const PART_BYTES = 16 * 2 ** 20;
/** A store that is away must not hold what waits for it, in milliseconds. */
const TIMES = { connectionTimeout: 5_000, socketTimeout: 60_000, requestTimeout: 120_000, throwOnRequestTimeout: true } as const;

interface Connection {
  readonly sdk: S3;
  readonly client: InstanceType<S3['S3Client']>;
}

interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** Keeps blobs in S3, or what speaks as it does. The SDK is loaded with the first blob. */
export class S3Driver implements BlobDriver {
  readonly #bucket: string;
  readonly #prefix: string;
  #connection: Promise<Connection> | undefined;

  /**
   * @param url `s3://bucket` or `s3://bucket/prefix`; the rest is in the variables of the AWS SDK
   * @param folder for files that threads read
   */
  constructor(
    url: string,
    private readonly folder: string,
    private readonly log: Logger,
  ) {
    const { host, pathname } = new URL(url);
    this.#bucket = host;
    this.#prefix = pathname.replace(/^\/+|\/+$/g, '');
  }

  async put(name: string, path: string): Promise<void> {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const place = this.#at(name);
      await this.#attempt('put', (connection) =>
        size > PART_BYTES ? putParts(connection, place, { file, size }) : putWhole(connection, place, { file, size }),
      );
    } finally {
      await file.close();
    }
    await rm(path, { force: true });
  }

  read(name: string): RawReader {
    return async (start, end) => (end <= start ? Readable.from([]) : this.#get(name, `bytes=${start}-${end - 1}`));
  }

  async local(name: string): Promise<{ path: string; done(): Promise<void> }> {
    const path = join(this.folder, randomUUID());
    const done = (): Promise<void> => rm(path, { force: true });
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const body = await this.#get(name);
    try {
      await pipeline(body, createWriteStream(path, { mode: 0o600 }));
    } catch (error) {
      await done();
      throw error;
    }
    return { path, done };
  }

  async remove(name: string): Promise<void> {
    await this.#attempt('remove', ({ sdk, client }) => client.send(new sdk.DeleteObjectCommand(this.#at(name))));
  }

  room(): Promise<null> {
    return Promise.resolve(null);
  }

  #get(name: string, range?: string): Promise<Readable> {
    return this.#attempt('get', async ({ sdk, client }) => {
      const { Body } = await client.send(new sdk.GetObjectCommand({ ...this.#at(name), ...(range !== undefined && { Range: range }) }));
      return Body as Readable;
    });
  }

  #at(name: string): Place {
    return { Bucket: this.#bucket, Key: this.#prefix === '' ? name : `${this.#prefix}/${name}` };
  }

  /** @throws ServiceError `unavailable`. What S3 says may quote the request with its signature: of it only the name is logged. */
  async #attempt<T>(operation: string, act: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await act(await this.#connect());
    } catch (error) {
      const { name = 'Error', $metadata: { httpStatusCode: status = null } = {} } = error as {
        name?: string;
        $metadata?: { httpStatusCode?: number };
      };
      this.log.warn({ operation, reason: name, status }, 'blobs.store_failed');
      throw new ServiceError('unavailable', 'The blob store does not answer as it should; try again soon.', { retryAfterS: 5 });
    }
  }

  #connect(): Promise<Connection> {
    this.#connection ??= import('@aws-sdk/client-s3').then((sdk) => {
      // Checksums of the SDK's own are not known to all that speak as S3 does; each blob has its SHA-256 already.
      const checksums = { requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' } as const;
      return { sdk, client: new sdk.S3Client({ forcePathStyle: true, requestHandler: TIMES, ...checksums }) };
    });
    return this.#connection;
  }
}

interface OpenFile {
  readonly file: FileHandle;
  readonly size: number;
}

async function partOf({ file, size }: OpenFile, start: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.min(PART_BYTES, size - start));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error('The file became shorter while it was stored.');
    filled += bytesRead;
  }
  return bytes;
}

async function putWhole({ sdk, client }: Connection, place: Place, from: OpenFile): Promise<void> {
  await client.send(new sdk.PutObjectCommand({ ...place, Body: await partOf(from, 0), ContentLength: from.size }));
}

async function putParts({ sdk, client }: Connection, place: Place, from: OpenFile): Promise<void> {
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(place));
  try {
    const parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (let start = 0; start < from.size; start += PART_BYTES) {
      const [PartNumber, Body] = [parts.length + 1, await partOf(from, start)];
      const { ETag } = await client.send(new sdk.UploadPartCommand({ ...place, UploadId, PartNumber, Body, ContentLength: Body.length }));
      parts.push({ PartNumber, ETag });
    }
    await client.send(new sdk.CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: parts } }));
  } catch (error) {
    // Parts of an upload that is never completed are stored, and cost, for ever.
    await client.send(new sdk.AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => undefined);
    throw error;
  }
}
