import type { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/utils';
import type { UploadRow } from './uploads.repository.js';

/** Uploads that tickets of requests in progress opened, by their id. */
interface OpenUploads {
  currentOf(id: string): Promise<UploadRow>;
  declare(id: string, bytes: number): Promise<void>;
  /** Adds a body at an offset; resolves with the new offset. */
  append(id: string, offset: number, body: Readable): Promise<number>;
}

/** What tus writes to: the upload that a request's ticket opened. */
export class UploadStore extends DataStore {
  constructor(private readonly uploads: OpenUploads) {
    super();
    this.extensions = ['creation-defer-length'];
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.uploads.currentOf(id);
    return new Upload({ id, offset: row.received, ...(row.declared_bytes !== null && { size: row.declared_bytes }) });
  }

  override async declareUploadLength(id: string, bytes: number): Promise<void> {
    await this.uploads.declare(id, bytes);
  }

  override write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.uploads.append(id, offset, stream);
  }
}
