import { Readable } from 'node:stream';
import { DataStore, Upload } from '@tus/utils';
import { asUploadError, type UploadDoor } from './upload-door.js';

/** What tus writes to: the upload that a request's ticket opened. */
export class UploadStore extends DataStore {
  /** @param door knows the upload of each id, as the ticket of the request in progress opened it */
  constructor(private readonly door: UploadDoor) {
    super();
    this.extensions = ['creation-defer-length'];
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.door.currentOf(id);
    return new Upload({ id, offset: row.received, ...(row.declared_bytes !== null && { size: row.declared_bytes }) });
  }

  override async declareUploadLength(id: string, bytes: number): Promise<void> {
    await this.door.declare(id, bytes);
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.door.append(id, offset, stream).catch((error: unknown) => {
      throw asUploadError(error);
    });
  }
}
