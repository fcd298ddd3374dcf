import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/utils';
import { asUploadError } from './upload-errors.js';
import type { UploadRow } from './uploads.repository.js';

/** Where the bytes of an upload go. */
interface UploadTarget {
  currentOf(id: string): Promise<UploadRow>;
  declare(id: string, bytes: number): Promise<void>;
  append(id: string, offset: number, body: Readable): Promise<number>;
}

/** What tus writes to: the upload that a request's ticket opened. */
export class UploadStore extends DataStore {
  /** @param target knows the upload of each id, as the ticket of the request in progress opened it */
  constructor(private readonly target: UploadTarget) {
    super();
    this.extensions = ['creation-defer-length'];
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.target.currentOf(id);
    return new Upload({ id, offset: row.received, ...(row.declared_bytes !== null && { size: row.declared_bytes }) });
  }

  override async declareUploadLength(id: string, bytes: number): Promise<void> {
    await this.target.declare(id, bytes);
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.target.append(id, offset, stream).catch((error: unknown) => {
      throw asUploadError(error);
    });
  }
}
