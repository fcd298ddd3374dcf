import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { isServiceError, ServiceError } from '@slipway/contracts';
import { TransferRate } from '@slipway/platform';
import type { GoodTicket } from '../blobs/tickets.js';
import { asUploadError } from './upload-errors.js';
import { tooLarge, UploadsService } from './uploads.service.js';
import type { UploadRow } from './uploads.repository.js';

/** Slowest upload: 64 KiB/s over 60 s. */
const FLOOR = { bytesPerSecond: 64 * 1024, windowMs: 60_000 } as const;
const CHECK_MS = 5_000;

type Server = import('@tus/server').Server;

/** Takes the bytes of uploads over HTTP: by the tus 1.0 core protocol, which resumes, or as the body of one PUT. */
@Injectable()
export class UploadDoor {
  readonly #tickets = new Map<string, GoodTicket>();
  /** Resolves with why bytes of an upload were refused: tus reports the end of its stream in its place, and earlier. */
  readonly #refusals = new Map<string, Promise<unknown>>();
  #tus: Promise<Server> | undefined;

  constructor(private readonly uploads: UploadsService) {}

  /** Serves a request whose ticket is good. @throws ServiceError for what this door refuses by itself */
  async serve(ticket: GoodTicket, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#tickets.set(ticket.subject, ticket);
    await this.currentOf(ticket.subject);
    if (request.method === 'PUT') return this.#put(ticket, request, response);
    const tus = await this.#server();
    try {
      await tus.handle(request, response);
    } finally {
      this.#refusals.delete(ticket.subject);
    }
  }

  /** The upload of an id that a ticket opened. @throws ServiceError `upload_not_found` when it is over */
  async currentOf(id: string): Promise<UploadRow> {
    const ticket = this.#tickets.get(id);
    const row = ticket && (await this.uploads.current(ticket.account, id));
    if (row) return row;
    this.#tickets.delete(id);
    throw new ServiceError('upload_not_found', 'There is nothing at this address, or it has expired.');
  }

  async declare(id: string, bytes: number): Promise<void> {
    await this.uploads.declare(await this.currentOf(id), bytes);
  }

  /** Adds a body at an offset. A slow sender's is ended. */
  async append(id: string, offset: number, body: Readable): Promise<number> {
    const row = await this.currentOf(id);
    const most = Math.min(row.declared_bytes ?? Infinity, await this.uploads.mostBytes(row));
    const written = this.uploads.append(row, offset, paced(body, most - offset));
    this.#refusals.set(
      id,
      written.then(
        () => null,
        (error: unknown) => error,
      ),
    );
    return written;
  }

  async #put(ticket: GoodTicket, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const row = await this.currentOf(ticket.subject);
    const most = await this.uploads.mostBytes(row);
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > most) throw tooLarge(most);
    const bytes = await this.uploads.replace(row, paced(request, most));
    if (row.declared_bytes !== null && bytes !== row.declared_bytes)
      throw new ServiceError('upload_conflict', `${row.declared_bytes} bytes were announced, and ${bytes} came. Send the whole file.`);
    const version = await this.uploads.complete({ ...row, received: bytes });
    const made = row.dataset_id === null ? { import: row.id } : { dataset: row.dataset_id, version };
    const body = JSON.stringify({ ...made, bytes });
    response.writeHead(201, { 'content-type': 'application/json' }).end(body);
  }

  #server(): Promise<Server> {
    this.#tus ??= this.#makeServer();
    return this.#tus;
  }

  /** Loaded with the first upload: a service that takes none needs less memory. */
  async #makeServer(): Promise<Server> {
    const [{ Server }, { UploadStore }] = await Promise.all([import('@tus/server'), import('./upload-store.js')]);
    return new Server({
      path: '/uploads',
      datastore: new UploadStore(this),
      getFileIdFromRequest: (request) => idIn(request.url),
      maxSize: async (_, id) => {
        const row = await this.currentOf(id ?? '').catch(() => null);
        return row ? this.uploads.mostBytes(row) : 0;
      },
      onUploadFinish: async (_, { id }) => {
        const row = await this.currentOf(id);
        await this.uploads.complete(row).catch((error: unknown) => {
          throw asUploadError(error);
        });
        return {};
      },
      onResponseError: async (request, error) => {
        const refusal = (await this.#refusals.get(idIn(request.url) ?? '')) ?? error;
        // What tus refuses by itself, it words itself.
        return isServiceError(refusal) ? (asUploadError(refusal) as { status_code: number; body: string }) : undefined;
      },
    });
  }
}

/** Id of the upload that a ticket of a path names. The ticket was verified before. */
function idIn(url: string): string | undefined {
  const [payload = ''] = (new URL(url).pathname.split('/').at(-1) ?? '').split('.');
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as string[])[2];
}

/** Passes a body on, ends it when its sender is too slow, and refuses what is more than `most` bytes. */
async function* paced(body: Readable, most: number): AsyncGenerator<Uint8Array> {
  const rate = new TransferRate(FLOOR);
  const watch = setInterval(() => {
    if (rate.isBelow()) body.destroy(new ServiceError('request_timeout', 'The upload is slower than 64 KiB/s. It can be resumed.'));
  }, CHECK_MS).unref();
  let bytes = 0;
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > most) throw tooLarge(most);
      rate.note(piece.length);
      rate.hold();
      yield piece;
      rate.release();
    }
  } finally {
    clearInterval(watch);
  }
}
